import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createKey, openKey } from "../src/govern/keys.ts";
import { liftStop, placeStop } from "../src/govern/stops.ts";
import { createGate, loadEngine } from "../src/index.ts";
import type { CallToolResult, Gate, GateOptions } from "../src/index.ts";

let stateDir = "";
beforeAll(() => {
  stateDir = mkdtempSync(join(tmpdir(), "regate-embed-"));
});
afterAll(() => {
  rmSync(stateDir, { recursive: true, force: true });
});

const DONE: CallToolResult = { content: [{ type: "text", text: "done" }] };

async function withGate<Value>(options: GateOptions, use: (gate: Gate) => Promise<Value>): Promise<Value> {
  const gate = await createGate({ stateDir, ...options });
  try {
    return await use(gate);
  } finally {
    await gate.close();
  }
}

/** Runs one call and says what came of it, and whether the handler ran. */
async function outcome(gate: Gate, tool: string, args: Record<string, never> | { [key: string]: string | boolean } = {}) {
  let ran = false;
  const result = await gate.run({ tool, arguments: args }, () => {
    ran = true;
    return DONE;
  });
  const meta = result._meta?.["regate/decision"] as { code?: string };
  return { ran, code: meta.code ?? "ok", result };
}

describe("createGate", () => {
  it("answers the same when `onError` throws", async () => {
    const told: unknown[] = [];
    const onError = (problem: unknown): never => {
      told.push(problem);
      throw new Error("the listener is broken");
    };
    await withGate({ bundle: "agent-session", onError }, async (gate) => {
      const result = await gate.run({ tool: "list_sessions", arguments: {} }, () => {
        throw new Error("boom");
      });
      expect(result).toMatchObject({ isError: true, _meta: { "regate/decision": { code: "call.failed" } } });
      expect((await outcome(gate, "list_sessions")).code).toBe("ok");
    });
    expect(told).toEqual([new Error("boom")]);
  });

  it("uses the default bundle: reads run, mutations wait for an identity read", async () => {
    await withGate({}, async (gate) => {
      expect(await outcome(gate, "list_sessions")).toMatchObject({ ran: true, code: "ok" });
      expect(await outcome(gate, "run_shell", { command: "echo hi" })).toMatchObject({ ran: false, code: "identity.unconfirmed" });
      expect(await outcome(gate, "whoami")).toMatchObject({ ran: true, code: "ok" });
      expect(await outcome(gate, "run_shell", { command: "echo hi" })).toMatchObject({ ran: true, code: "ok" });
      expect(await outcome(gate, "run_shell", { command: "rm -r x" })).toMatchObject({ ran: false, code: "policy.denied" });
      expect(await outcome(gate, "admin_list_sessions")).toMatchObject({ ran: false, code: "policy.denied" });
    });
  });

  it("plans a dry run instead of running it", async () => {
    await withGate({ bundle: "ai-agent", requireDryRun: true }, async (gate) => {
      expect(await outcome(gate, "run_shell", { command: "rm -r x" })).toMatchObject({ ran: false, code: "agent.dry_run_required" });
      const plan = await outcome(gate, "run_shell", { command: "rm -r x", dry_run: true });
      expect(plan).toMatchObject({ ran: false, code: "ok", result: { structuredContent: { dry_run: true, verdict: "destructive" } } });
    });
  });

  it("has the entitlement error first, and an empty list entitles to nothing", async () => {
    await withGate({ bundle: "ai-agent", allowlist: [], requireDryRun: true }, async (gate) => {
      expect(await outcome(gate, "run_shell", { command: "rm -r x" })).toMatchObject({ ran: false, code: "agent.not_entitled" });
      expect(await outcome(gate, "list_sessions")).toMatchObject({ ran: false, code: "agent.not_entitled" });
    });
  });

  it("declares the risk of custom tools, and takes an undeclared one for mutating", async () => {
    const risk = { lookup: { read_only: true }, list_sessions: { read_only: false } };
    await withGate({ bundle: "identity-gate", risk }, async (gate) => {
      expect(await outcome(gate, "lookup")).toMatchObject({ ran: true });
      expect(await outcome(gate, "other")).toMatchObject({ code: "identity.unconfirmed" });
      expect(await outcome(gate, "list_sessions")).toMatchObject({ code: "identity.unconfirmed" });
    });
  });

  it("takes an engine, and leaves it open", async () => {
    const engine = await loadEngine("ai-agent");
    await withGate({ engine }, async (gate) => {
      expect(await outcome(gate, "audit_log")).toMatchObject({ ran: true });
    });
    expect(engine.decide({}).allow).toBe(false);
    await withGate({ engine }, async (gate) => {
      expect(await outcome(gate, "audit_log")).toMatchObject({ ran: true });
    });
    engine.close();
  });

  it("asks the human that it is given", async () => {
    await withGate({ bundle: "ai-agent", confirm: () => Promise.resolve("accepted") }, async (gate) => {
      expect(gate.decide({ tool: "audit_log", arguments: {} })).toMatchObject({ admitted: true });
    });
  });

  it("looks ahead without a trace", async () => {
    await withGate({ bundle: "ai-agent" }, async (gate) => {
      expect(gate.decide({ tool: "admin_explain", arguments: {} })).toMatchObject({ admitted: false, refusal: { code: "policy.denied" } });
      expect(readFileSync(join(stateDir, "decisions", `${gate.claim.sessionId}.jsonl`), "utf8")).toBe("");
    });
  });

  it("keeps its claim, whatever the arguments say", async () => {
    await withGate({ bundle: "agent-session", agentId: "builder" }, async (gate) => {
      expect(gate.claim).toEqual({ sessionId: expect.stringMatching(/^mcp-\d{19}$/), agentId: "builder" });
      expect(Object.isFrozen(gate.claim)).toBe(true);
      await gate.run({ tool: "audit_log", arguments: { agent_id: "evil", session_id: "evil" } }, () => DONE);
      const [line = ""] = readFileSync(join(stateDir, "decisions", `${gate.claim.sessionId}.jsonl`), "utf8").split("\n");
      expect((JSON.parse(line) as { input: object }).input).toMatchObject({
        session_id: gate.claim.sessionId,
        agent: { id: "builder", session_id: gate.claim.sessionId },
        args: ["agent_id=evil", "session_id=evil"],
      });
    });
  });

  it("gives two gates of one process sessions of their own", async () => {
    await withGate({}, (one) => withGate({}, (other) => Promise.resolve(expect(one.claim.sessionId).not.toBe(other.claim.sessionId))));
  });

  it("refuses everything after it was closed", async () => {
    const gate = await createGate({ stateDir });
    await gate.close();
    await gate.close();
    expect(await outcome(gate, "whoami")).toMatchObject({ ran: false, code: "gate.closed" });
  });

  it("takes a call without arguments as one with none", async () => {
    await withGate({}, async (gate) => {
      let got: unknown;
      const result = await gate.run({ tool: "whoami" }, (args) => {
        got = args;
        return DONE;
      });
      expect([result.isError, got]).toEqual([undefined, {}]);
    });
  });

  it("refuses a path that does not exist", async () => {
    await withGate({}, async (gate) => {
      await expect(gate.run({ tool: "whoami", arguments: {}, path: "side" as "direct" }, () => DONE)).rejects.toThrow(RangeError);
    });
  });

  it("knows the programs that the operator names", async () => {
    const shellTables = JSON.stringify({ destructive: ["zap-cluster"], examples: { destructive: ["zap-cluster x"] } });
    await withGate({ bundle: "ai-agent", requireDryRun: true, shellTables }, async (gate) => {
      expect(await outcome(gate, "run_shell", { command: "zap-cluster x" })).toMatchObject({ ran: false, code: "agent.dry_run_required" });
      expect(await outcome(gate, "run_shell", { command: "ls" })).toMatchObject({ ran: true });
    });
    await withGate({ bundle: "ai-agent", requireDryRun: true }, async (gate) => {
      expect(await outcome(gate, "run_shell", { command: "zap-cluster x" })).toMatchObject({ ran: true });
    });
  });

  it("does not trust a repository's helpers: a git command is unverifiable unless they are switched off (trial C03)", async () => {
    await withGate({ bundle: "ai-agent", requireDryRun: true }, async (gate) => {
      expect(await outcome(gate, "run_shell", { command: "git status" })).toMatchObject({ ran: false, code: "agent.dry_run_required" });
      const bare = "git --no-pager -c core.fsmonitor=false -c core.hooksPath=/dev/null status";
      expect(await outcome(gate, "run_shell", { command: bare })).toMatchObject({ ran: true });
    });
  });

  const bad: [string, object, string][] = [
    ["an option that does not exist", { requireDryrun: true }, "`requireDryrun` is not an option of createGate"],
    ["a switch that is no boolean", { requireDryRun: "true" }, "`requireDryRun` must be a boolean"],
    ["an allowlist that is one string", { allowlist: "run_shell" }, "`allowlist` must be a list of tool names"],
    ["an empty agent id", { agentId: "" }, "`agentId` must be 1 to 128"],
    ["an agent id that is no string", { agentId: 5 }, "`agentId` must be 1 to 128"],
    ["an allowlist with what is no name", { allowlist: ["run_shell", "run shell"] }, "`allowlist` holds something that is not a tool name"],
    ["an allowlist with a number", { allowlist: [5] }, "`allowlist` holds something that is not a tool name"],
    ["a misspelt risk flag", { risk: { drop: { destructve: true } } }, "`risk`: `destructve` of `drop` is not a flag"],
    ["a risk row that is no object", { risk: { drop: "destructive" } }, "`risk`: the row of `drop` must be an object"],
    ["risk that is a list", { risk: [] }, "`risk` must be an object of rows by tool"],
    ["a confirmation that is no function", { confirm: true }, "`confirm` must be a function"],
    ["shell tables that are no text", { shellTables: {} }, "`shellTables` must be a text"],
    [
      "shell tables with a mistake",
      { shellTables: '{"data":["A"]}' },
      "`shellTables`: `data[0]`: a program is its base name in lower case",
    ],
    ["a misspelt hardening", { identityRules: { requireProfil: true } }, "`identityRules` has no member `requireProfil`"],
    ["a hardening that is no boolean", { identityRules: { bindProfile: "yes" } }, "`identityRules` must have a boolean `bindProfile`"],
    ["a hardening by nothing", { identityRules: { maxAgeMs: 0 } }, "`identityRules` must have a number above zero as `maxAgeMs`"],
    ["a locale that is no text", { locale: 5 }, "`locale` must be a text such as `de`"],
    ["a deadline below zero", { policyDeadlineMs: -1 }, "`policyDeadlineMs` must be a number of milliseconds above zero"],
    ["a timeout that is no number", { confirmTimeoutMs: "1s" }, "`confirmTimeoutMs` must be a number of milliseconds above zero"],
    ["an empty state directory", { stateDir: "" }, "`stateDir` must not be empty"],
    ["a bundle and an engine", { bundle: "default", engine: {} }, "give `bundle` or `engine`, not both"],
    ["a context that is no object", { context: [] }, "`context` must be a JSON object"],
    ["a bundle that does not exist", { bundle: "no-such-bundle" }, "no packaged bundle, folder or file of that name"],
  ];
  it.each(bad)("refuses %s", async (_, options, message) => {
    await expect(createGate({ stateDir, ...options })).rejects.toThrow(message);
  });

  it("does not start without a decision log", async () => {
    const file = join(stateDir, "a-file");
    writeFileSync(file, "");
    await expect(createGate({ stateDir: file })).rejects.toMatchObject({
      code: "audit.unavailable",
      message: expect.stringContaining(`the decision log in \`${join(file, "decisions")}\` cannot be opened: `),
    });
  });

  it("writes one log a session", () => {
    const names = readdirSync(join(stateDir, "decisions"));
    expect(names.every((name) => /^mcp-\d{19}\.jsonl$/.test(name))).toBe(true);
  });
});

describe("what humans decide about the state directory", () => {
  it("a stop holds in an embedded gate, until it is lifted", async () => {
    const own = mkdtempSync(join(tmpdir(), "regate-embed-stop-"));
    const places = { stateDir: own, keysDir: join(own, "private") };
    createKey(places, { name: "anna", owner: "anna", now: new Date() });
    const by = () => ({ key: openKey(places, "anna"), now: new Date() });
    const tried = () => withGate({ stateDir: own, agentId: "embedded" }, (gate) => outcome(gate, "whoami"));
    expect(await tried()).toMatchObject({ ran: true });
    placeStop(own, { scope: { agent: "embedded" }, reason: "a test" }, by());
    expect(await tried()).toMatchObject({ ran: false, code: "gate.stopped" });
    // While a gate is open this process is an agent's, and lifts nothing.
    await withGate({ stateDir: own }, () => Promise.resolve(expect(by).toThrow("an agent's process")));
    liftStop(own, { scope: { agent: "embedded" }, reason: "a test" }, by());
    expect(await tried()).toMatchObject({ ran: true });
    rmSync(own, { recursive: true });
  });
});
