import { afterEach, describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/call/json.ts";
import type { Decision } from "../../src/policy/decision.ts";
import type { CallRequest } from "../../src/server/corridor-types.ts";
import { ALLOW, codeOf, counted, DENY, DONE, openCorridor, removeFolders } from "./support.ts";

afterEach(removeFolders);

/** The identity rule in five lines: switches re-arm, reads are recorded, everything else needs a confirmed identity. */
function identityRule(input: JsonObject): Decision {
  if (input["command"] === "config_switch") return { ...ALLOW, effect: "rearm" };
  if (input["command"] === "whoami") return { ...ALLOW, effect: "record_identity_read" };
  return (input["session"] as JsonObject)["identity_confirmed"] === true ? ALLOW : DENY;
}

/** A call whose handler ends when it is told to. */
function held(tool: string) {
  const control: { end: (result?: { isError: boolean }) => void; fail: () => void } = { end: () => undefined, fail: () => undefined };
  const handler: NonNullable<CallRequest["handler"]> = () =>
    new Promise((resolve, reject) => {
      control.end = (result = { isError: false }) => resolve({ ...DONE, ...result });
      control.fail = () => reject(new Error("no"));
    });
  return { request: { tool, arguments: {}, path: "direct", handler } satisfies CallRequest, control };
}

describe("calls that come at once", () => {
  it("are judged, recorded and re-armed in their order, and then run side by side", async () => {
    const { corridor, events } = openCorridor({ decide: identityRule });
    const order: string[] = [];
    const handler =
      (name: string): NonNullable<CallRequest["handler"]> =>
      async () => {
        order.push(`begin ${name}`);
        await Promise.resolve();
        order.push(`end ${name}`);
        return DONE;
      };
    const names = ["whoami", "config_switch", "write", "whoami", "write"];
    const answers = names.map((tool, index) =>
      corridor.call({ tool, arguments: { index }, path: "direct", handler: handler(`${tool} ${index}`) }),
    );
    expect((await Promise.all(answers)).map(codeOf)).toEqual(["ok", "ok", "policy.denied", "ok", "policy.denied"]);
    const decisions = events().filter(({ custom }) => custom.regate.event === "decision");
    expect(decisions.map((event) => ((event["input"] as JsonObject)["arguments"] as JsonObject)["index"])).toEqual([0, 1, 2, 3, 4]);
    expect(order.slice(0, 3)).toEqual(["begin whoami 0", "begin config_switch 1", "begin whoami 3"]);
  });

  it("in one write of switch and mutation: the mutation never runs under the identity read before", async () => {
    const { corridor } = openCorridor({ decide: identityRule });
    await corridor.call(counted("whoami").request);
    const { request, state } = counted("write");
    const both = await Promise.all([corridor.call(counted("config_switch").request), corridor.call(request)]);
    expect(both.map(codeOf)).toEqual(["ok", "policy.denied"]);
    expect(state.runs).toBe(0);
  });
});

describe("an identity read", () => {
  it("confirms once it has succeeded", async () => {
    const { corridor, identity, events } = openCorridor({ decide: identityRule, activeProfile: () => "erika" });
    const { request, control } = held("whoami");
    const reading = corridor.call(request);
    expect(codeOf(await corridor.call(counted("write").request))).toBe("policy.denied");
    control.end();
    await reading;
    expect(identity.view()).toEqual({ identity_confirmed: true, confirmed_profile: "erika", epoch: 0 });
    expect(codeOf(await corridor.call(counted("write").request))).toBe("ok");
    expect(events().at(-3)?.custom.regate.outcome).toMatchObject({ facts: { identity_read_recorded: true } });
  });

  it.each([
    ["answers with an error", (control: ReturnType<typeof held>["control"]) => control.end({ isError: true })],
    ["throws", (control: ReturnType<typeof held>["control"]) => control.fail()],
  ])("confirms nothing when it %s", async (_, finish) => {
    const { corridor, identity } = openCorridor({ decide: identityRule });
    const { request, control } = held("whoami");
    const reading = corridor.call(request);
    finish(control);
    await reading;
    expect(identity.identityConfirmed).toBe(false);
  });

  it("confirms nothing when a switch overtakes it", async () => {
    const { corridor, identity } = openCorridor({ decide: identityRule });
    const { request, control } = held("whoami");
    const reading = corridor.call(request);
    await corridor.call(counted("config_switch").request);
    control.end();
    await reading;
    expect(identity.view()).toEqual({ identity_confirmed: false, confirmed_profile: null, epoch: 1 });
  });

  it("confirms nothing when it begins while a switch is still running", async () => {
    const { corridor, identity } = openCorridor({ decide: identityRule });
    const { request, control } = held("config_switch");
    const switching = corridor.call(request);
    await corridor.call(counted("whoami").request);
    control.end();
    await switching;
    expect(identity.identityConfirmed).toBe(false);
    await corridor.call(counted("whoami").request);
    expect(identity.identityConfirmed).toBe(true);
  });
});

describe("a switch", () => {
  it("re-arms before it runs, also when it fails", async () => {
    const { corridor, identity, events } = openCorridor({ decide: identityRule });
    await corridor.call(counted("whoami").request);
    const { request, control } = held("config_switch");
    const switching = corridor.call(request);
    expect(identity.view()).toEqual({ identity_confirmed: false, confirmed_profile: null, epoch: 1 });
    control.fail();
    await switching;
    expect(codeOf(await corridor.call(counted("write").request))).toBe("policy.denied");
    expect(events()[2]?.custom.regate).toMatchObject({
      session: { before: { identity_confirmed: true, epoch: 0 }, after: { identity_confirmed: false, epoch: 1 } },
    });
  });

  it("re-arms when the tool does not exist or its arguments are wrong", async () => {
    const { corridor, identity } = openCorridor({ decide: identityRule });
    await corridor.call(counted("whoami").request);
    expect(await corridor.call({ tool: "config_switch", arguments: {}, path: "direct" })).toEqual({ kind: "unknown_tool" });
    expect(identity.view()).toMatchObject({ identity_confirmed: false, epoch: 1 });
    await corridor.call(counted("whoami").request);
    expect(identity.identityConfirmed).toBe(true);
  });

  it("changes nothing when it is denied", async () => {
    const { corridor, identity } = openCorridor({ decide: () => ({ ...DENY, effect: "rearm" }) });
    identity.recordIdentityRead("erika");
    await corridor.call(counted("config_switch").request);
    expect(identity.view()).toEqual({ identity_confirmed: true, confirmed_profile: "erika", epoch: 0 });
  });
});
