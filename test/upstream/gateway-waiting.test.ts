import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { regate } from "../e2e/run.ts";
import { buildBundle, closeBuilds } from "../policy/support/build.ts";
import { codeOf, folder, startGateway, type GatewayProcess } from "./gateway-kit.ts";

/** A human elsewhere has to approve `wipe`, one in the session confirms `pid` and `slow`; everything else passes. */
const REGO = `package gate

default allowed := false

allowed if input.time != ""

default confirmed := "none"

confirmed := "elicit" if input.command in {"pid", "slow"}

default asked := {}

asked := {"approval": {}} if input.command == "wipe"

decision := object.union({"allow": allowed, "reasons": set(), "effect": "none", "confirm": confirmed}, asked)

message := {"allow": allowed, "reasons": set(), "effect": "none", "confirm": "none"}
`;
let archive: Uint8Array;

beforeAll(async () => {
  archive = await buildBundle({ rego: REGO, entrypoints: ["gate/decision", "gate/message"] });
}, 180_000);
afterAll(closeBuilds);

interface Desk {
  readonly gateway: GatewayProcess;
  /** Approves the only request there is. */
  readonly approve: () => void;
  readonly requests: () => readonly string[];
  /** Calls that the server got, by name of the tool. */
  readonly ran: () => readonly unknown[];
}

async function desk(env: Record<string, string> = {}, flags: readonly string[] = [], fixture: object = {}): Promise<Desk> {
  const stateDir = folder();
  const bundle = join(stateDir, "ask.tar.gz");
  writeFileSync(bundle, archive);
  const places = ["--state-dir", join(stateDir, "state"), "--keys-dir", join(stateDir, "keys")];
  regate(["keys", "create", "anna", "--owner", "anna@example.org", ...places]);
  const environment = { REGATE_WORKDIR: folder(), ...env };
  const gateway = startGateway({ bundle, stateDir, fixture, flags: ["--sandbox", "none", ...flags], env: environment });
  await gateway.hello({ elicitation: {} });
  await gateway.ask({ id: "list", method: "tools/list" });
  const requests = (): string[] => {
    const { stdout } = regate(["approvals", "list", "--json", ...places]);
    return (JSON.parse(stdout) as { id: string }[]).map(({ id }) => id);
  };
  return {
    gateway,
    requests,
    approve() {
      const [id = ""] = requests();
      expect(regate(["approvals", "approve", id, "--key", "anna", ...places])).toMatchObject({ status: 0 });
    },
    ran: () => gateway.got().flatMap(({ method, params }) => (method === "tools/call" ? [params?.["name"]] : [])),
  };
}

const cancel = (gateway: GatewayProcess, requestId: unknown): void =>
  gateway.send({ method: "notifications/cancelled", params: { requestId } });
const answersTo = (gateway: GatewayProcess, id: unknown): number =>
  gateway.lines().filter((line) => line.id === id && line.method === undefined).length;
/** Ends of calls as the log says them. */
const outcomes = (gateway: GatewayProcess): unknown[] =>
  gateway.events().flatMap((event) => {
    const { outcome } = (event["custom"] as { regate: { outcome?: { status: string } } }).regate;
    return outcome === undefined ? [] : [outcome.status];
  });

describe("a call through the gateway that waits for an approval", () => {
  it("is answered without a wait unless one is asked for; the approval counts for the repeated call, once (M14)", async () => {
    const { gateway, approve, ran } = await desk();
    const first = await gateway.call("wipe", { s: "a" });
    expect(codeOf(first)).toBe("approval.pending");
    approve();
    expect(ran()).toEqual([]);
    expect(codeOf(await gateway.call("wipe", { s: "a" }))).toBe("ok");
    expect(codeOf(await gateway.call("wipe", { s: "a" }))).toBe("approval.pending");
    expect(ran()).toEqual(["wipe"]);
  });

  it("waits as long as it is told to, answers with the id, and runs once after the approval (M14)", async () => {
    const { gateway, approve, ran } = await desk({}, ["--approval-wait", "2"]);
    const startedAt = performance.now();
    const late = await gateway.call("wipe", { s: "a" });
    expect([codeOf(late), performance.now() - startedAt > 1_900]).toEqual(["approval.pending", true]);
    approve();
    expect(codeOf(await gateway.call("wipe", { s: "a" }))).toBe("ok");
    expect(ran()).toEqual(["wipe"]);
  });

  it("lets others pass, and runs at once when it is approved", async () => {
    const { gateway, approve, ran, requests } = await desk({ REGATE_APPROVAL_WAIT: "600" });
    const waiting = gateway.call("wipe", { s: "a" });
    await expect.poll(() => requests().length).toBe(1);
    expect(codeOf(await gateway.call("echo"))).toBe("ok");
    approve();
    expect(codeOf(await waiting)).toBe("ok");
    expect(ran()).toEqual(["echo", "wipe"]);
  });

  it("never runs and is not answered once it is cancelled, though it is approved later; its id is free again", async () => {
    const { gateway, approve, ran, requests } = await desk({ REGATE_APPROVAL_WAIT: "600" });
    gateway.send({ id: 7, method: "tools/call", params: { name: "wipe", arguments: { s: "a" } } });
    await expect.poll(() => requests().length).toBe(1);
    cancel(gateway, 7);
    cancel(gateway, 7);
    approve();
    expect((await gateway.ask({ id: 7, method: "tools/call", params: { name: "echo" } })).result?.content).toHaveLength(1);
    expect([ran(), answersTo(gateway, 7)]).toEqual([["echo"], 1]);
    await expect.poll(() => outcomes(gateway)).toContain("cancelled");
  });

  it.each(["SIGTERM", "end of stdin"])("ends at %s, and nothing runs", async (how) => {
    const { gateway, ran, requests } = await desk({ REGATE_APPROVAL_WAIT: "600" });
    gateway.send({ id: 7, method: "tools/call", params: { name: "wipe", arguments: { s: "a" } } });
    await expect.poll(() => requests().length).toBe(1);
    if (how === "SIGTERM") process.kill(gateway.pid, "SIGTERM");
    expect([(await gateway.finish()).code, ran()]).toEqual([0, []]);
    expect(answersTo(gateway, 7)).toBeLessThanOrEqual(1);
  });
});

describe("a call through the gateway that waits for a confirmation", () => {
  const asked = (gateway: GatewayProcess) => gateway.until(({ method }) => method === "elicitation/create");
  const say = (gateway: GatewayProcess, id: unknown): void =>
    gateway.send({ id, result: { action: "accept", content: { confirm: true } } });

  it("runs once, although it is confirmed twice", async () => {
    const { gateway, ran } = await desk();
    const waiting = gateway.call("pid");
    const { id } = await asked(gateway);
    say(gateway, id);
    say(gateway, id);
    expect(codeOf(await waiting)).toBe("ok");
    expect(ran()).toEqual(["pid"]);
  });

  it("never runs once it is cancelled, though it is confirmed later; the question is taken back", async () => {
    const { gateway, ran } = await desk();
    gateway.send({ id: 7, method: "tools/call", params: { name: "pid" } });
    const { id } = await asked(gateway);
    cancel(gateway, 7);
    await gateway.until(({ method, params }) => method === "notifications/cancelled" && params?.["requestId"] === id);
    say(gateway, id);
    expect(codeOf(await gateway.ask({ id: 7, method: "tools/call", params: { name: "echo" } }))).toBe("ok");
    expect([ran(), answersTo(gateway, 7)]).toEqual([["echo"], 1]);
  });

  it.each(["cancelled", "confirmed"])(
    "that is %s first, with the other right behind it in one write, is cancelled, if it runs at all",
    async (first) => {
      // A server that is told so answers all the same.
      const { gateway, ran } = await desk({}, [], { slowMs: "cancelled" });
      gateway.send({ id: 7, method: "tools/call", params: { name: "slow" } });
      const { id } = await asked(gateway);
      const lines = [
        JSON.stringify({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 7 } }),
        JSON.stringify({ jsonrpc: "2.0", id, result: { action: "accept", content: { confirm: true } } }),
      ];
      gateway.send((first === "cancelled" ? lines : lines.toReversed()).join("\n"));
      expect(codeOf(await gateway.call("echo"))).toBe("ok");
      expect(ran()).toEqual(first === "cancelled" ? ["echo"] : ["slow", "echo"]);
      const told = gateway.got().filter(({ method }) => method === "notifications/cancelled");
      expect([told.length, answersTo(gateway, 7)]).toEqual([first === "cancelled" ? 0 : 1, 0]);
      await expect.poll(() => outcomes(gateway)).toEqual(["cancelled", "ok"]);
    },
  );

  it.each(["SIGTERM", "end of stdin"])("ends at %s, and nothing runs", async (how) => {
    const { gateway, ran } = await desk();
    gateway.send({ id: 7, method: "tools/call", params: { name: "pid" } });
    await asked(gateway);
    if (how === "SIGTERM") process.kill(gateway.pid, "SIGTERM");
    expect([(await gateway.finish()).code, ran()]).toEqual([0, []]);
  });
});
