import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { JsonObject } from "../../src/call/json.ts";
import type { ApprovalDesk } from "../../src/govern/approval-desk.ts";
import type { ApprovalUse } from "../../src/govern/approval-use.ts";
import type { Decision } from "../../src/policy/decision.ts";
import type { Engine } from "../../src/policy/engine.ts";
import { loadEngine } from "../../src/policy/load.ts";
import type { CorridorOptions } from "../../src/server/core.ts";
import { declaredFacts } from "../../src/server/facts.ts";
import { createProfile, switchTo } from "../../src/session/profile-changes.ts";
import { stateKeys } from "../../src/redis/state-keys.ts";
import { clientOf, haveRedis, startRedis } from "../delegate/redis-kit.ts";
import type { RedisServer, TestClient } from "../delegate/redis-kit.ts";
import { memoryProfiles, openIdentityCorridor } from "./identity-kit.ts";
import { frontOf } from "./shared-kit.ts";
import { ALLOW, codeOf, counted, engineOf, openCorridor, removeFolders, wordOf } from "./support.ts";

const ECHO = { command: "echo hi" };

/** A handler that ends when the test says so. */
function gated() {
  let open: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    open = resolve;
  });
  const begun = { is: false };
  const handler = async () => {
    begun.is = true;
    await ended;
    return { content: [{ type: "text", text: "done" }] };
  };
  return { open, handler, begun };
}

describe.skipIf(!haveRedis)("two fronts with one session", () => {
  let engine: Engine;
  let server: RedisServer;
  let client: TestClient;
  beforeAll(async () => {
    engine = await loadEngine("identity-gate");
    server = await startRedis();
    client = await clientOf(server.url());
  });
  afterAll(async () => {
    engine.close();
    await client.close();
    await server.stop();
  });
  afterEach(removeFolders);

  /** Options of two corridors that share. */
  function two(rules: CorridorOptions["identityRules"] = {}): readonly [Partial<CorridorOptions>, Partial<CorridorOptions>] {
    const name = randomUUID();
    const fronts = [frontOf(server, name, rules), frontOf(server, name, rules)] as const;
    onTestFinished(() => fronts.forEach(({ sessions }) => sessions.close()));
    return [
      { shared: fronts[0].shared, identityRules: rules },
      { shared: fronts[1].shared, identityRules: rules },
    ];
  }

  function identityFronts(rules: CorridorOptions["identityRules"] = {}) {
    const [first, second] = two(rules);
    const store = memoryProfiles();
    store.update(createProfile("Erik"));
    const [a, b] = [openIdentityCorridor({ engine, store, ...first }), openIdentityCorridor({ engine, store, ...second })];
    onTestFinished(async () => void (await Promise.all([a.corridor.close(), b.corridor.close()])));
    return { a, b, store };
  }

  it("what is confirmed on one counts on the other, and a switch on that one arms both", async () => {
    const { a, b } = identityFronts();
    expect(codeOf(await b.call("run_shell", ECHO))).toBe("identity.unconfirmed");
    expect(codeOf(await a.call("whoami"))).toBe("ok");
    expect(codeOf(await b.call("run_shell", ECHO))).toBe("ok");
    expect(codeOf(await b.call("config_switch", { label: "Erik" }))).toBe("ok");
    expect(codeOf(await a.call("run_shell", ECHO))).toBe("identity.unconfirmed");
    expect(codeOf(await a.call("run_shell", ECHO, "execute"))).toBe("identity.unconfirmed");
    expect([a.runs, b.runs]).toEqual([[], [ECHO]]);
  });

  it("a switch by another process arms both at their next call", async () => {
    const { a, b, store } = identityFronts();
    await a.call("whoami");
    store.update(createProfile("Erika"));
    store.update(switchTo("Erik"));
    expect(codeOf(await b.call("run_shell", ECHO))).toBe("identity.unconfirmed");
    expect(codeOf(await a.call("run_shell", ECHO))).toBe("identity.unconfirmed");
  });

  it("fronts with different profile stores never take a confirmation of each other", async () => {
    const [first, second] = two();
    const stores = [memoryProfiles(), memoryProfiles()] as const;
    for (const store of stores) store.update(createProfile("Erik"));
    const a = openIdentityCorridor({ engine, store: stores[0], ...first });
    const b = openIdentityCorridor({ engine, store: stores[1], ...second });
    await a.call("whoami");
    expect(codeOf(await a.call("run_shell", ECHO))).toBe("ok");
    expect(codeOf(await b.call("run_shell", ECHO))).toBe("identity.unconfirmed");
    await Promise.all([a.corridor.close(), b.corridor.close()]);
  });

  it("a read that a switch on the other front overtakes confirms nothing, nor does one that began while that switch ran", async () => {
    const { a, b } = identityFronts();
    const late = gated();
    const read = a.corridor.call(counted("whoami", {}, { handler: late.handler }).request);
    await expect.poll(() => late.begun.is).toBe(true);
    const change = gated();
    const switched = b.corridor.call(counted("config_switch", { label: "Erik" }, { handler: change.handler }).request);
    await expect.poll(() => change.begun.is).toBe(true);
    late.open();
    expect(codeOf(await read)).toBe("ok");
    await a.call("whoami");
    expect(codeOf(await a.call("run_shell", ECHO))).toBe("identity.unconfirmed");
    change.open();
    await switched;
    await a.call("whoami");
    expect(codeOf(await b.call("run_shell", ECHO))).toBe("ok");
  });

  it("calls of one front are judged in their order, also when all are sent at once", async () => {
    const { a } = identityFronts();
    await a.call("whoami");
    const answers = await Promise.all([
      a.call("run_shell", ECHO),
      a.call("config_switch", { label: "Erik" }),
      a.call("run_shell", ECHO),
      a.call("run_shell", ECHO, "execute"),
    ]);
    expect(answers.map(codeOf)).toEqual(["ok", "ok", "identity.unconfirmed", "identity.unconfirmed"]);
    expect(a.runs).toHaveLength(1);
  });

  it("a mutating call whose identity another front re-arms while it is judged is judged again, and refused", async () => {
    const [first, second] = two();
    const b = openIdentityCorridor({ engine, ...second });
    let overtakes: (() => Promise<void>) | undefined;
    const { store } = first.shared ?? { store: undefined };
    if (store === undefined) throw new Error("nothing is shared");
    const slow = { ...store, settle: async (given: Parameters<typeof store.settle>[0]) => (await overtakes?.(), store.settle(given)) };
    const a = openIdentityCorridor({ engine, ...first, shared: { ...first.shared, store: slow } as CorridorOptions["shared"] });
    await a.call("whoami");
    overtakes = async () => {
      overtakes = undefined;
      await b.call("config_switch", { label: "Erik" });
    };
    expect(codeOf(await a.call("run_shell", ECHO))).toBe("identity.unconfirmed");
    expect(a.runs).toEqual([]);
    expect(a.events().map(wordOf).slice(-1)).toEqual(["identity.unconfirmed"]);
    await Promise.all([a.corridor.close(), b.corridor.close()]);
  });

  it("an answer of the human that a switch on the other front overtakes is stale", async () => {
    const [first, second] = two();
    const wants: Decision = { allow: true, reasons: [], effect: "none", confirm: "elicit" };
    const rearms: Decision = { ...ALLOW, effect: "rearm" };
    const decide = (input: JsonObject): Decision => (input["command"] === "config_switch" ? rearms : wants);
    const b = openCorridor({ decide, ...second });
    let asked = 0;
    const confirm = async () => {
      asked += 1;
      if (asked === 1) await b.corridor.call(counted("config_switch").request);
      return "accepted" as const;
    };
    const a = openCorridor({ decide, confirm, ...first });
    a.corridor.setClient({ elicitation: true });
    const stale = counted("rm");
    expect(codeOf(await a.corridor.call(stale.request))).toBe("confirm.stale");
    const fine = counted("rm");
    expect(codeOf(await a.corridor.call(fine.request))).toBe("ok");
    expect([stale.state.runs, fine.state.runs]).toEqual([0, 1]);
    expect(a.events().map(wordOf)).toEqual(["confirm.pending", "confirm.stale", "confirm.pending", "admitted", "ok"]);
    await Promise.all([a.corridor.close(), b.corridor.close()]);
  });

  it.each([
    ["calls a minute", "calls_last_minute"],
    ["calls in all", "calls"],
    ["calls of a tool", "tool_calls"],
    ["calls at once", "running"],
  ] as const)("a limit of 5 %s lets 5 through in all", async (_name, counter) => {
    const limit = (input: JsonObject): Decision => {
      const usage = input["usage"] as JsonObject;
      return Number(usage[counter]) < 5 ? ALLOW : { allow: false, reasons: [], deny_reason: "too many", effect: "none", confirm: "none" };
    };
    const fronts = two().map((parts) => openCorridor({ decide: limit, ...parts }));
    const { handler, open } = gated();
    let runs = 0;
    const answers = Array.from({ length: 40 }, (_each, index) =>
      fronts[index % 2]?.corridor.call(counted("work", {}, { handler: () => ((runs += 1), handler()) }).request),
    );
    const codes = Promise.all(answers.map(async (answer) => answer && codeOf(await answer)));
    await Promise.all(answers.slice(10).map(async (answer) => answer && codeOf(await answer)));
    open();
    expect((await codes).filter((code) => code === "ok")).toHaveLength(5);
    expect(runs).toBe(5);
    await Promise.all(fronts.map(({ corridor }) => corridor.close()));
  });

  it("refusals of one front are counted by the other, each once", async () => {
    const seen: unknown[] = [];
    const decide = (input: JsonObject): Decision => {
      const usage = input["usage"] as JsonObject;
      seen.push([usage["calls"], usage["denied"], usage["running"]]);
      return input["command"] === "no" ? { allow: false, reasons: [], deny_reason: "no", effect: "none", confirm: "none" } : ALLOW;
    };
    const [a, b] = two().map((parts) => openCorridor({ engine: engineOf(decide), ...parts }));
    for (const [front, tool] of [
      [a, "no"],
      [b, "yes"],
      [a, "no"],
      [b, "yes"],
    ] as const)
      await front?.corridor.call(counted(tool).request);
    expect(seen).toEqual([
      [0, 0, 0],
      [1, 1, 0],
      [2, 1, 0],
      [3, 2, 0],
    ]);
    await Promise.all([a?.corridor.close(), b?.corridor.close()]);
  });

  it("a store that cannot be used, or holds what cannot be read, refuses every call, on record, until it can be again", async () => {
    const own = await startRedis({ appendOnly: true });
    onTestFinished(() => own.stop());
    const { shared, sessions } = frontOf(own, "s");
    const { corridor, events, reports } = openCorridor({ shared });
    const call = async () => {
      const { request, state } = counted("work");
      return [codeOf(await corridor.call(request)), state.runs];
    };
    expect(await call()).toEqual(["ok", 1]);
    await own.kill();
    expect(await Promise.all([call(), call(), call()])).toEqual([
      ["store.unavailable", 0],
      ["store.unavailable", 0],
      ["store.unavailable", 0],
    ]);
    expect(reports).toHaveLength(1);
    await own.start();
    expect(await call()).toEqual(["ok", 1]);
    const spoiler = await clientOf(own.url());
    const isState = (each: string): boolean => each.startsWith(stateKeys("t").identity("")) && !each.endsWith("switching");
    const name = (await spoiler.keys("*")).find(isState) ?? "";
    await spoiler.hSet(name, "epoch", "many");
    expect(await call()).toEqual(["store.unavailable", 0]);
    await spoiler.hSet(name, "epoch", "0");
    expect(await call()).toEqual(["ok", 1]);
    await spoiler.close();
    expect(events().map(wordOf).join(" ")).toBe(
      "admitted ok store.unavailable store.unavailable store.unavailable admitted ok store.unavailable admitted ok",
    );
    await corridor.close();
    sessions.close();
  });

  it("a store that dies between judging and running refuses the call", async () => {
    const [first] = two();
    const { store } = first.shared ?? { store: undefined };
    if (store === undefined) throw new Error("nothing is shared");
    const broken = { ...store, settle: () => Promise.reject(new Error("gone")) };
    const { corridor, events } = openCorridor({ ...first, shared: { ...first.shared, store: broken } as CorridorOptions["shared"] });
    const { request, state } = counted("work");
    expect(codeOf(await corridor.call(request))).toBe("store.unavailable");
    expect([state.runs, events().map(wordOf)]).toEqual([0, ["store.unavailable"]]);
    await corridor.close();
  });

  it("what a client can do is what it could when it called", async () => {
    const [first] = two();
    const wants: Decision = { allow: true, reasons: [], effect: "none", confirm: "elicit" };
    const { corridor } = openCorridor({ decide: () => wants, confirm: () => Promise.resolve("accepted"), ...first });
    corridor.setClient({ elicitation: false });
    const without = corridor.call(counted("work").request);
    corridor.setClient({ elicitation: true });
    const withIt = corridor.call(counted("work").request);
    corridor.setClient({ elicitation: false });
    expect([codeOf(await without), codeOf(await withIt)]).toEqual(["confirm.no_channel", "ok"]);
    await corridor.close();
  });

  it("ends within its time although the store does not answer", async () => {
    const [first] = two();
    const { store } = first.shared ?? { store: undefined };
    if (store === undefined) throw new Error("nothing is shared");
    const silent = { ...store, enter: () => new Promise<never>(() => undefined) };
    const { corridor } = openCorridor({ ...first, shared: { ...first.shared, store: silent } as CorridorOptions["shared"] });
    const calls = [corridor.call(counted("work").request), corridor.call(counted("work").request)];
    await corridor.close();
    expect((await Promise.all(calls)).map(codeOf)).toEqual(["gate.closed", "gate.closed"]);
  });

  it("what runs is renewed by Redis's clock, and ends when it is over", async () => {
    await client.flushAll();
    const [first] = two();
    const { corridor } = openCorridor({ ...first, shared: { ...first.shared, renewMs: 20 } as CorridorOptions["shared"] });
    const { handler, open } = gated();
    const call = corridor.call(counted("work", {}, { handler }).request);
    const lease = async (): Promise<number> => {
      const [name = ""] = await client.keys("*:running");
      return name === "" ? 0 : ((await client.zRangeWithScores(name, 0, -1))[0]?.score ?? 0);
    };
    await expect.poll(lease).toBeGreaterThan(0);
    const begun = await lease();
    await expect.poll(lease).toBeGreaterThan(begun);
    open();
    await call;
    expect(await lease()).toBe(0);
    await corridor.close();
  });

  it("what a human was shown under a state that was lost is stale, although the new one counts from the start", async () => {
    const [first] = two();
    const wants: Decision = { allow: true, reasons: [], effect: "none", confirm: "elicit" };
    const confirm = async () => {
      await client.flushAll();
      return "accepted" as const;
    };
    const { corridor } = openCorridor({ decide: () => wants, confirm, ...first });
    corridor.setClient({ elicitation: true });
    const { request, state } = counted("rm");
    expect(codeOf(await corridor.call(request))).toBe("confirm.stale");
    expect(state.runs).toBe(0);
    await corridor.close();
  });

  it("a call that took its approval while another front re-armed its identity does not run", async () => {
    const [first, second] = two();
    const rearms: Decision = { ...ALLOW, effect: "rearm" };
    const b = openCorridor({ decide: () => rearms, ...second });
    const ends: string[] = [];
    const use: ApprovalUse = {
      id: "0".repeat(32),
      async begin() {
        await b.corridor.call(counted("config_switch").request);
        return undefined;
      },
      isUnchanged: () => true,
      end: (how) => Promise.resolve(void ends.push(how)),
    };
    const desk: ApprovalDesk = {
      ask: () => Promise.resolve({ kind: "approved", approvers: ["anna"], at: "2026-01-01T00:00:00Z", use }),
      hasMoved: () => Promise.resolve(false),
    };
    const a = openCorridor({ decide: () => ({ ...ALLOW, approval: {} }), approvals: { desk, waitMs: 0 }, ...first });
    const { request, state } = counted("work");
    expect(codeOf(await a.corridor.call(request))).toBe("approval.stale");
    expect([state.runs, ends]).toEqual([0, ["stale"]]);
    await Promise.all([a.corridor.close(), b.corridor.close()]);
  });

  it("a message is judged with what all fronts know, and counts as no call", async () => {
    const [first, second] = two();
    const judged: unknown[] = [];
    const reads: Decision = { ...ALLOW, effect: "record_identity_read" };
    const engine = engineOf((input, entrypoint) => {
      const { calls, tool_calls, running } = input["usage"] as JsonObject as Record<string, number>;
      const { identity_confirmed } = input["session"] as JsonObject as Record<string, boolean>;
      judged.push([entrypoint, identity_confirmed, calls, tool_calls, running]);
      return reads;
    });
    const [a, b] = [openCorridor({ engine, ...first }), openCorridor({ engine, ...second })];
    await a.corridor.call(counted("work").request);
    const facts = declaredFacts(undefined, {})("work");
    const message = await b.corridor.message({ method: "resources/read", from: "client", params: {}, facts });
    const result = await b.corridor.result({ method: "tools/call", facts, result: {}, parent: "p" });
    expect([message.allowed, result.allowed]).toEqual([true, true]);
    await b.corridor.call(counted("work").request);
    expect(judged).toEqual([
      ["gate/decision", false, 0, 0, 0],
      ["gate/message", true, 1, 1, 0],
      ["gate/result", true, 1, 1, 0],
      ["gate/decision", true, 1, 1, 0],
    ]);
    await Promise.all([a.corridor.close(), b.corridor.close()]);
  });

  it("leaves nothing that runs behind", async () => {
    await client.flushAll();
    const { a, b } = identityFronts();
    await a.call("whoami");
    await b.call("run_shell", { command: 1 });
    await b.call("run_shell", ECHO);
    await a.call("no_such_tool");
    await a.call("config_switch", { label: "nobody" });
    await Promise.all([a.corridor.close(), b.corridor.close()]);
    for (const name of await client.keys("*:running")) expect(await client.zCard(name)).toBe(0);
    for (const name of await client.keys("*:switching")) expect(await client.zCard(name)).toBe(0);
  });
});
