import { appendFileSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openDecisionLog } from "../../src/audit/decision-log.ts";
import { parseCursor } from "../../src/admin/decision-cursor.ts";
import { readDecisions } from "../../src/admin/decisions.ts";
import type { DecisionPage, DecisionQuery } from "../../src/admin/decisions.ts";
import { explanationOf } from "../../src/admin/explanations.ts";
import { REFUSALS } from "../../src/gate/refusals.ts";
import { outcomeOf, recordOf, temporaryFolder } from "../audit/kit.ts";

/** One call as a test plans it: in which session, when (seconds), which tool, and when its outcome comes. */
interface Planned {
  readonly session: number;
  readonly at: number;
  readonly tool: string;
  readonly command?: string;
  readonly denied?: boolean;
  readonly outcomeAt?: number;
}

const START = 1_796_000_000;
const idOf = (session: number): string => `mcp-${String(BigInt(START + session) * 1_000_000_000n)}`;

/** Writes the logs of planned calls, in the order of time. */
function write(stateDir: string, plan: readonly Planned[]): void {
  let now = 0n;
  const logs = new Map<number, ReturnType<typeof openDecisionLog>>();
  const steps = plan.flatMap((call, index) => [
    { at: call.at, call, id: `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`, outcome: false },
    ...(call.outcomeAt === undefined
      ? []
      : [{ at: call.outcomeAt, call, id: `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`, outcome: true }]),
  ]);
  for (const { at, call, id, outcome } of steps.toSorted((a, b) => a.at - b.at)) {
    now = BigInt(Math.round((START + at) * 1_000)) * 1_000_000n;
    const log =
      logs.get(call.session) ??
      openDecisionLog({ stateDir, sessionId: idOf(call.session), labels: { id: idOf(call.session), version: "0" }, now: () => now });
    logs.set(call.session, log);
    if (outcome) log.outcome(outcomeOf({ decisionId: id, tool: call.tool }));
    else {
      const input = { command: call.tool, arguments: { command: call.command ?? "ls" }, agent: { id: "a" }, user: "u" };
      const refusal = { stage: "entitlement", code: "agent.not_entitled", text: "", retryable: false } as const;
      log.decision(recordOf(input, { decisionId: id, ...(call.denied === true ? { verdict: { admitted: false, refusal } } : {}) }));
    }
  }
  for (const log of logs.values()) log.close();
}

async function everyPage(stateDir: string, query: Partial<DecisionQuery> & { readonly limit: number }): Promise<DecisionPage["decisions"]> {
  const all: DecisionPage["decisions"][number][] = [];
  let cursor: DecisionQuery["cursor"];
  for (;;) {
    const page = await readDecisions(stateDir, { ...query, cursor });
    all.push(...page.decisions);
    if (page.next === null) return all;
    cursor = parseCursor(page.next);
    expect(cursor).toBeDefined();
  }
}

const MANY = Array.from({ length: 120 }, (_, index): Planned => ({
  session: index % 3 === 0 ? 0 : (index % 7) + 1,
  at: 100 + index * 3,
  tool: index % 2 === 0 ? "run_shell" : "whoami",
  denied: index % 5 === 0,
  command: `echo ${index}`,
  ...(index % 5 === 0 ? {} : { outcomeAt: 100 + index * 3 + (index % 11) * 4 }),
}));

describe("decisions of all sessions", () => {
  it.each([1, 2, 7, 50, 500])("come newest first, each once, with its outcome, in pages of %i", async (limit) => {
    const stateDir = temporaryFolder();
    write(stateDir, MANY);
    const all = await everyPage(stateDir, { limit });
    expect(all.map(({ arguments: text }) => text)).toEqual(MANY.map(({ command }) => JSON.stringify({ command })).toReversed());
    expect(all.filter(({ allowed, outcome }) => allowed !== (outcome?.status === "ok"))).toEqual([]);
  });

  it("stay where they are while new ones are written", async () => {
    const stateDir = temporaryFolder();
    write(stateDir, MANY);
    const first = await readDecisions(stateDir, { limit: 10 });
    write(stateDir, [
      { session: 0, at: 9_000, tool: "late" },
      { session: 6, at: 9_001, tool: "late" },
      { session: 8_999, at: 9_002, tool: "late" },
    ]);
    const second = await readDecisions(stateDir, { limit: 500, cursor: parseCursor(first.next ?? "") });
    expect([...first.decisions, ...second.decisions].map(({ arguments: text }) => text)).toEqual(
      MANY.map(({ command }) => JSON.stringify({ command })).toReversed(),
    );
  });

  it.each([
    [{ session: idOf(0) }, (call: Planned) => call.session === 0],
    [{ tool: "whoami" }, (call: Planned) => call.tool === "whoami"],
    [{ code: "agent.not_entitled" }, (call: Planned) => call.denied === true],
    [{ allowed: true }, (call: Planned) => call.denied !== true],
    [{ allowed: false, tool: "run_shell" }, (call: Planned) => call.denied === true && call.tool === "run_shell"],
    [{ text: "ECHO 11" }, (call: Planned) => call.command?.startsWith("echo 11") === true],
    [
      { since: new Date((START + 130) * 1_000).toISOString(), until: new Date((START + 160) * 1_000).toISOString() },
      (call: Planned) => call.at >= 130 && call.at <= 160,
    ],
  ])("are found by %o", async (query, isWanted) => {
    const stateDir = temporaryFolder();
    write(stateDir, MANY);
    const found = await everyPage(stateDir, { limit: 9, ...query });
    expect(found.map(({ arguments: text }) => text)).toEqual(
      MANY.filter(isWanted)
        .map(({ command }) => JSON.stringify({ command }))
        .toReversed(),
    );
    expect(found.length).toBeGreaterThan(0);
  });

  it("E05: are redacted on the way out, and a secret cannot be searched for", async () => {
    const stateDir = temporaryFolder();
    write(stateDir, [{ session: 1, at: 1, tool: "run_shell", command: "PLACE" }]);
    const file = join(stateDir, "decisions", `${idOf(1)}.jsonl`);
    // As an older release, or another program, might have written it.
    writeFileSync(file, readFileSync(file, "utf8").replace("PLACE", "curl -H 'Authorization: Bearer EXAMPLE-SECRET-0123456789'"));
    const page = await readDecisions(stateDir, { limit: 10 });
    expect(page.decisions).toHaveLength(1);
    expect(JSON.stringify(page)).not.toContain("EXAMPLE-SECRET");
    expect((await readDecisions(stateDir, { limit: 10, text: "EXAMPLE-SECRET" })).decisions).toEqual([]);
  });

  it("P09: show control and format characters as escapes", async () => {
    const stateDir = temporaryFolder();
    write(stateDir, [{ session: 1, at: 1, tool: "run_shell", command: "echo ok \u202e; rm\u200b" }]);
    const [decision] = (await readDecisions(stateDir, { limit: 1 })).decisions;
    expect(decision?.arguments).toBe('{"command":"echo ok \\u{202e}; rm\\u{200b}"}');
  });

  it("count what is no event, and go on behind a torn end", async () => {
    const stateDir = temporaryFolder();
    write(stateDir, MANY.slice(0, 6));
    const file = join(stateDir, "decisions", `${idOf(0)}.jsonl`);
    appendFileSync(file, "not json\n[1]\n\u0000\n");
    const page = await readDecisions(stateDir, { limit: 50 });
    expect([page.decisions.length, page.unreadable]).toEqual([6, 3]);
    truncateSync(file, readFileSync(file).length - 60);
    expect((await readDecisions(stateDir, { limit: 50 })).decisions.length).toBeGreaterThanOrEqual(5);
  });

  it("are none without a log, and a foreign cursor is none", async () => {
    const page = await readDecisions(temporaryFolder(), { limit: 5 });
    expect(page).toEqual({ decisions: [], next: null, scanned: 0, unreadable: 0 });
    expect(["", "x", "AAAA", "a".repeat(20_000)].map(parseCursor)).toEqual([undefined, undefined, undefined, undefined]);
  });
});

describe("explanations", () => {
  it("exist for every code that the gate speaks", () => {
    expect(Object.keys(REFUSALS).filter((code) => explanationOf(code) === null)).toEqual([]);
    expect(explanationOf("constructor")).toBeNull();
    expect(explanationOf(null)).toBeNull();
  });
});
