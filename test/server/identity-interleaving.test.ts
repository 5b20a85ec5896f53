import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import type { Engine } from "../../src/policy/engine.ts";
import { loadEngine } from "../../src/policy/load.ts";
import type { ConfirmOutcome } from "../../src/server/confirm.ts";
import { createProfile, switchTo } from "../../src/session/profile-changes.ts";
import { openIdentityCorridor } from "./identity-kit.ts";
import type { Way } from "./identity-kit.ts";
import { codeOf, counted, removeFolders, resultOf } from "./support.ts";

let engine: Engine;
beforeAll(async () => {
  engine = await loadEngine("identity-gate");
});
afterAll(() => engine.close());
afterEach(removeFolders);

const WAYS: readonly Way[] = ["direct", "execute"];
const ECHO = { command: "echo hi" };

/** A handler that ends when the test says so. */
function gated() {
  let open: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    open = resolve;
  });
  const handler = async () => {
    await ended;
    return { content: [{ type: "text", text: "done" }] };
  };
  return { open, handler };
}

describe("reads and switches that overlap", () => {
  it("a read that ends after a switch confirms nothing", async () => {
    const { corridor, call, identity } = openIdentityCorridor({ engine });
    const { open, handler } = gated();
    const read = corridor.call(counted("whoami", {}, { handler }).request);
    await call("config_profile_create", { label: "Erik" });
    open();
    expect(codeOf(await read)).toBe("ok");
    expect(identity.identityConfirmed).toBe(false);
    expect(codeOf(await call("run_shell", ECHO))).toBe("identity.unconfirmed");
    await corridor.close();
  });

  it("a read that begins while a switch runs confirms nothing, one that begins after it does", async () => {
    const { corridor, call, identity } = openIdentityCorridor({ engine });
    const { open, handler } = gated();
    const change = corridor.call(counted("config_switch", { label: "Erik" }, { handler }).request);
    await call("whoami");
    expect(identity.identityConfirmed).toBe(false);
    open();
    await change;
    expect(identity.identityConfirmed).toBe(false);
    await call("whoami");
    expect(identity.identityConfirmed).toBe(true);
    await corridor.close();
  });

  it("a read that fails confirms nothing", async () => {
    const { corridor, identity } = openIdentityCorridor({ engine });
    const broken = counted("whoami", {}, { handler: () => Promise.reject(new Error("broken")) });
    expect(codeOf(await corridor.call(broken.request))).toBe("call.failed");
    const error = counted("whoami", {}, { handler: () => Promise.resolve({ content: [], isError: true }) });
    await corridor.call(error.request);
    await corridor.call(counted("whoami", { surplus: 1 }, { handler: undefined as never }).request);
    expect(identity.identityConfirmed).toBe(false);
    await corridor.close();
  });

  it("a read during which another process switches confirms nothing for longer than the next call", async () => {
    const { corridor, call, profiles, identity } = openIdentityCorridor({ engine });
    await call("config_profile_create", { label: "Erik" });
    const { open, handler } = gated();
    const read = corridor.call(counted("whoami", {}, { handler }).request);
    profiles.update(createProfile("Erika"));
    open();
    await read;
    expect(codeOf(await call("run_shell", ECHO))).toBe("identity.unconfirmed");
    expect(identity.epoch).toBe(2);
    await corridor.close();
  });

  it.each(WAYS)("two calls in one turn: the mutation behind a switch is refused, before a read has been answered too (%s)", async (way) => {
    const { corridor, call, runs } = openIdentityCorridor({ engine });
    await call("config_profile_create", { label: "Erik" });
    await call("whoami");
    const turn = await Promise.all([
      call("run_shell", ECHO, way),
      call("config_switch", { label: "Erik" }, way),
      call("run_shell", ECHO, way),
      call("config_profile_status", {}, way),
      call("run_shell", ECHO, way),
    ]);
    expect(turn.map(codeOf)).toEqual(["ok", "ok", "identity.unconfirmed", "ok", "identity.unconfirmed"]);
    expect(runs).toHaveLength(1);
    await corridor.close();
  });
});

describe("a switch while the human is asked", () => {
  const wipe = {
    name: "wipe",
    title: "Wipe",
    description: "Destroys.",
    input: z.strictObject({}),
    output: z.strictObject({}),
    timeoutMs: 1_000,
    handler: () => Promise.resolve({ structured: {} }),
  };

  function asked() {
    let answer: (outcome: ConfirmOutcome) => void = () => undefined;
    const outcome = new Promise<ConfirmOutcome>((resolve) => {
      answer = resolve;
    });
    const opened = openIdentityCorridor({ engine, more: [wipe], confirm: () => outcome });
    opened.corridor.setClient({ elicitation: true });
    return { ...opened, answer };
  }

  // run_shell with a destructive command asks under this bundle.
  const RM = { command: "rm -rf x" };

  it.each(WAYS.flatMap((way) => ["this session", "another process"].map((who) => [way, who] as const)))(
    "refuses what was accepted for another profile: %s, switched by %s",
    async (way, who) => {
      const { corridor, call, profiles, runs, answer } = asked();
      await call("config_profile_create", { label: "Erika" });
      await call("config_profile_create", { label: "Erik" });
      await call("whoami");
      const pending = call("run_shell", RM, way);
      if (who === "this session") await call("config_switch", { label: "Erika" });
      else profiles.update(switchTo("Erika"));
      answer("accepted");
      expect(codeOf(await pending)).toBe("confirm.stale");
      expect(runs).toEqual([]);
      await corridor.close();
    },
  );

  it("refuses even when somebody has read again meanwhile", async () => {
    const { corridor, call, runs, answer } = asked();
    await call("config_profile_create", { label: "Erik" });
    await call("whoami");
    const pending = call("run_shell", RM);
    await call("config_switch", { label: "Erik" });
    await call("whoami");
    answer("accepted");
    expect(codeOf(await pending)).toBe("confirm.stale");
    expect(runs).toEqual([]);
    await corridor.close();
  });

  it("runs what was accepted when nothing changed", async () => {
    const { corridor, call, runs, answer } = asked();
    await call("whoami");
    const pending = call("run_shell", RM, "execute");
    answer("accepted");
    expect(codeOf(await pending)).toBe("ok");
    expect(runs).toEqual([RM]);
    await corridor.close();
  });
});

describe("execute", () => {
  it("gives back the inner answer as it is: content, structured content and decision", async () => {
    const { corridor, call, events } = openIdentityCorridor({ engine });
    const answer = resultOf(await call("config_profile_create", { label: "Erik" }, "execute"));
    expect(answer.structuredContent).toEqual({ active_profile: "Erik" });
    const decisions = events().filter((event) => event["input"] !== undefined);
    expect(decisions.map((event) => (event["input"] as { command: string }).command)).toEqual(["execute", "config_profile_create"]);
    expect(answer._meta).toEqual({ "regate/decision": { decision_id: decisions[1]?.decision_id } });
    await corridor.close();
  });

  it("takes the inner arguments exactly as they were sent", async () => {
    const { corridor, call, events } = openIdentityCorridor({ engine });
    const args = JSON.parse('{"query":"x","__proto__":{"a":1},"agent_id":"evil"}') as { query: string };
    const answer = await call("search", args, "execute");
    expect(codeOf(answer)).toBe("call.arguments_invalid");
    const inner = events().filter((event) => event["input"] !== undefined)[1]?.["input"] as { arguments: object; agent: { id: string } };
    expect(Object.keys(inner.arguments).sort()).toEqual(["__proto__", "agent_id", "query"]);
    expect(inner.agent.id).toBe("tester");
    await corridor.close();
  });

  it.each([
    ["no key", {}, "call.arguments_invalid"],
    ["a key that is no string", { command_key: 1 }, "call.arguments_invalid"],
    ["arguments that are no object", { command_key: "search", arguments: [] }, "call.arguments_invalid"],
    ["a surplus argument", { command_key: "search", arguments: { query: "" }, more: 1 }, "call.arguments_invalid"],
    ["itself", { command_key: "execute", arguments: { command_key: "whoami" } }, "call.failed"],
    ["an unknown key", { command_key: "no.such" }, "identity.unconfirmed"],
    ["a console tool", { command_key: "whoami" }, "identity.unconfirmed"],
    ["a wire name that is no key", { command_key: "config_switch", arguments: { label: "x" } }, "identity.unconfirmed"],
    ["a property of every object", { command_key: "constructor" }, "identity.unconfirmed"],
    ["a name out of bounds", { command_key: "x".repeat(2_000) }, "policy.error"],
    ["the claim's names, which are ignored", { command_key: "search", arguments: { query: "", agent_id: "x" }, session_id: "y" }, "ok"],
  ])("with %s", async (_name, args, code) => {
    const { corridor, identity } = openIdentityCorridor({ engine });
    expect(codeOf(await corridor.call({ tool: "execute", arguments: args, path: "direct" }))).toBe(code);
    expect(identity.view()).toEqual({ identity_confirmed: false, confirmed_profile: null, epoch: 0 });
    await corridor.close();
  });

  it.each(["no.such", "whoami", "config_switch", "constructor"])("once confirmed, %s is no command, and changes nothing", async (key) => {
    const { corridor, call, identity } = openIdentityCorridor({ engine });
    await call("whoami");
    const answer = await corridor.call({ tool: "execute", arguments: { command_key: key }, path: "direct" });
    expect(resultOf(answer).content).toEqual([{ type: "text", text: "execute: no command has this key" }]);
    expect(identity.epoch).toBe(0);
    await corridor.close();
  });

  it("ends the inner call when the outer one is cancelled", async () => {
    const { corridor, call } = openIdentityCorridor({ engine, confirm: () => new Promise(() => undefined) });
    corridor.setClient({ elicitation: true });
    await call("whoami");
    const controller = new AbortController();
    const pending = corridor.call({
      tool: "execute",
      arguments: { command_key: "run_shell", arguments: { command: "rm -rf x" } },
      path: "direct",
      signal: controller.signal,
    });
    controller.abort();
    expect(codeOf(await pending)).toBe("call.cancelled");
    await corridor.close();
  });
});

describe("what a read shows is what it confirms", () => {
  it("the label of the judged moment, on record as confirmed_profile", async () => {
    const { corridor, call, events } = openIdentityCorridor({ engine });
    await call("config_profile_create", { label: "Erik" });
    const read = resultOf(await call("whoami"));
    expect(read.structuredContent).toMatchObject({ active_profile: "Erik" });
    await call("run_shell", ECHO);
    const input = events().findLast((event) => event["input"] !== undefined)?.["input"];
    expect(input).toMatchObject({
      session: { identity_confirmed: true, confirmed_profile: "Erik", epoch: 1 },
      profile: { active: "Erik" },
    });
    await corridor.close();
  });
});
