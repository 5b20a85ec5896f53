import { describe, expect, it } from "vitest";
import { NO_COMMAND } from "../../src/call/make-call.ts";
import { factsOf, riskClass } from "../../src/call/risk-table.ts";
import type { ToolCall } from "../../src/call/tool-call.ts";
import type { Confirmation, GateQuestion, GateRules } from "../../src/gate/gate.ts";
import { judge } from "../../src/gate/gate.ts";
import type { Decision } from "../../src/policy/decision.ts";

const ALLOW: Decision = { allow: true, reasons: [], effect: "none", confirm: "none" };
const DENY: Decision = {
  allow: false,
  reasons: [{ code: "ai_agent.not_listed", rule: "ai_agent", message: "not on the list" }],
  deny_reason: "not on the list",
  effect: "none",
  confirm: "none",
};

interface Given {
  readonly tool?: string;
  readonly destructive?: boolean;
  readonly dryRun?: boolean;
  readonly question?: Partial<GateQuestion>;
  readonly rules?: Partial<GateRules>;
}

function call({ tool = "run_shell", destructive = false, dryRun = false }: Given): ToolCall {
  const shell = destructive ? { ...NO_COMMAND, verdict: "destructive" as const, destructive: true } : NO_COMMAND;
  const facts = factsOf(tool, { drop_table: { destructive: true } });
  return {
    tool,
    arguments: {},
    path: "direct",
    time: "",
    facts,
    risk: riskClass(facts, shell),
    dryRun,
    ...(tool === "run_shell" ? { shell } : {}),
  };
}

function judged(given: Given) {
  let asked = 0;
  const decide = (): Decision => {
    asked += 1;
    return ALLOW;
  };
  const question: GateQuestion = { call: call(given), input: {}, stopped: false, confirmation: () => "none", ...given.question };
  const verdict = judge(question, { requireDryRun: false, decide, ...given.rules });
  return { verdict, code: verdict.admitted ? "admitted" : verdict.refusal.code, asked };
}

describe("the gate order, as a full matrix", () => {
  const booleans = [true, false];
  const rows = booleans.flatMap((entitled) =>
    booleans.flatMap((destructive) =>
      booleans.flatMap((dryRun) =>
        booleans.flatMap((required) => booleans.map((allowed) => ({ entitled, destructive, dryRun, required, allowed }))),
      ),
    ),
  );

  it.each(rows)("entitled=$entitled destructive=$destructive dryRun=$dryRun required=$required allowed=$allowed", (row) => {
    let asked = 0;
    const decide = (): Decision => {
      asked += 1;
      return row.allowed ? ALLOW : DENY;
    };
    const allowlist = new Set(row.entitled ? ["run_shell"] : ["Run_Shell", "run_shell ", "other"]);
    const { code } = judged({ ...row, rules: { allowlist, requireDryRun: row.required, decide } });
    const first = !row.entitled
      ? "agent.not_entitled"
      : row.destructive && row.required && !row.dryRun
        ? "agent.dry_run_required"
        : row.allowed
          ? "admitted"
          : "policy.denied";
    expect(code).toBe(first);
    expect(asked).toBe(first === "admitted" || first === "policy.denied" ? 1 : 0);
  });
});

describe("entitlement [P05]", () => {
  it.each([
    ["no allowlist", undefined, "admitted"],
    ["an empty allowlist", new Set<string>(), "agent.not_entitled"],
    ["the exact name", new Set(["run_shell"]), "admitted"],
    ["another letter case", new Set(["RUN_SHELL"]), "agent.not_entitled"],
    ["full-width letters", new Set(["\uff52un_shell"]), "agent.not_entitled"],
  ])("with %s", (_, allowlist, code) => {
    expect(judged({ rules: { allowlist } }).code).toBe(code);
  });

  it.each(["constructor", "__proto__", "no_such_tool"])("answers for %s as for any other name", (tool) => {
    expect(judged({ tool, rules: { allowlist: new Set(["run_shell"]) } }).code).toBe("agent.not_entitled");
  });
});

describe("dry run", () => {
  it("is demanded of run_shell alone", () => {
    expect(judged({ tool: "eval_starlark", rules: { requireDryRun: true } }).code).toBe("admitted");
    expect(judged({ tool: "drop_table", rules: { requireDryRun: true } }).code).toBe("admitted");
    expect(judged({ destructive: true, rules: { requireDryRun: true } }).code).toBe("agent.dry_run_required");
    expect(judged({ destructive: false, rules: { requireDryRun: true } }).code).toBe("admitted");
  });
});

describe("policy", () => {
  it.each(["run_shell", "admin_list_sessions", "no_such_tool"])("answers for %s that no engine is bound", (tool) => {
    const { verdict } = judged({ tool, rules: { decide: undefined } });
    expect(verdict).toEqual({
      admitted: false,
      refusal: { stage: "policy", code: "agent.engine_unbound", text: "agent: security engine is not bound", retryable: false },
    });
  });

  it.each([
    ["malformed", "policy.error"],
    ["too_large", "call.too_large"],
  ] as const)("is not asked about %s arguments", (problem, code) => {
    expect(judged({ question: { problem } })).toMatchObject({ code, asked: 0 });
  });

  it.each(["malformed", "too_large"] as const)("comes after entitlement for %s arguments", (problem) => {
    expect(judged({ question: { problem }, rules: { allowlist: new Set() } }).code).toBe("agent.not_entitled");
  });

  const denials: [string, Partial<Decision>, object][] = [
    ["the deny_reason", { deny_reason: "because", reasons: [] }, { code: "policy.denied", text: "because", retryable: false }],
    [
      "the first reason's message",
      { reasons: [{ code: "x.y", rule: "x", message: "no x" }] },
      { code: "policy.denied", text: "no x", retryable: false },
    ],
    ["the table's text", { reasons: [] }, { code: "policy.denied", text: "policy: deny by default (no allow decision)", retryable: false }],
    [
      "the remedy of the first reason",
      { reasons: [{ code: "x.y", rule: "x", message: "no x", remedy: "dry_run" }] },
      { code: "policy.denied", text: "no x", retryable: true, resolve: "dry_run" },
    ],
    [
      "the identity refusal",
      { reasons: [{ code: "identity.unconfirmed", rule: "identity_gate", message: "read first" }] },
      { code: "identity.unconfirmed", text: "read first", retryable: true, resolve: "identity_read" },
    ],
    [
      "the engine's own code",
      {
        deny_reason: "policy: evaluation failed",
        reasons: [{ code: "policy.error", rule: "engine", message: "policy: evaluation failed" }],
      },
      { code: "policy.error", text: "policy: evaluation failed", retryable: false },
    ],
    [
      "no code of the gate from a rule",
      { reasons: [{ code: "agent.not_entitled", rule: "x", message: "no x" }] },
      { code: "policy.denied", text: "no x" },
    ],
    [
      "no code of the gate from the engine either",
      { reasons: [{ code: "agent.not_entitled", rule: "engine", message: "no x" }] },
      { code: "policy.denied", text: "no x" },
    ],
    [
      "no engine code from a rule",
      { reasons: [{ code: "policy.error", rule: "x", message: "no x" }] },
      { code: "policy.denied", text: "no x" },
    ],
  ];
  it.each(denials)("denies with %s", (_, decision, refusal) => {
    const document: Decision = { allow: false, effect: "none", confirm: "none", reasons: [], ...decision };
    const { verdict } = judged({ rules: { decide: () => document } });
    expect(verdict).toMatchObject({ admitted: false, decision: document, refusal: { stage: "policy", ...refusal } });
  });

  it("takes a deny_reason beside an allow as advice", () => {
    const decision: Decision = { ...ALLOW, deny_reason: "careful" };
    expect(judged({ rules: { decide: () => decision } }).verdict).toEqual({ admitted: true, decision });
  });
});

describe("approval and confirmation", () => {
  const cases: [string, { terms: Partial<Decision>; human: Confirmation; code: string }][] = [
    ["an obligation to get an approval", { terms: { approval: {} }, human: "settled", code: "approval.unavailable" }],
    ["an approval before the human is asked", { terms: { approval: {}, confirm: "elicit" }, human: "ask", code: "approval.unavailable" }],
    ["a block, whoever agrees", { terms: { confirm: "block" }, human: "settled", code: "confirm.blocked" }],
    ["a confirmation that nobody can give", { terms: { confirm: "elicit" }, human: "none", code: "confirm.no_channel" }],
    ["a confirmation that a human can give", { terms: { confirm: "elicit" }, human: "ask", code: "confirm.pending" }],
    ["a confirmation that was given", { terms: { confirm: "elicit" }, human: "settled", code: "admitted" }],
    ["no demand", { terms: {}, human: "none", code: "admitted" }],
  ];
  it.each(cases)("answers to %s", (_, { terms, human, code }) => {
    const decide = (): Decision => ({ ...ALLOW, ...terms });
    expect(judged({ question: { confirmation: () => human }, rules: { decide } }).code).toBe(code);
  });

  it("does not look for a human when policy denies", () => {
    const confirmation = (): never => {
      throw new Error("asked");
    };
    expect(judged({ question: { confirmation }, rules: { decide: () => ({ ...DENY, confirm: "elicit" }) } }).code).toBe("policy.denied");
  });
});

it("lets nothing in once it is stopped", () => {
  expect(judged({ question: { stopped: true }, rules: { allowlist: new Set() } })).toMatchObject({ code: "gate.stopped", asked: 0 });
});
