// decide() of the default bundle at 1 KB and 100 KB, beside OPA's own WebAssembly package on the same module and casbin on an equivalent policy.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { loadPolicy } from "@open-policy-agent/opa-wasm";
import { newEnforcer, newModelFromString, StringAdapter } from "casbin";
import { loadEngine } from "../dist/index.js";
import { compare, percentile } from "./measure.mjs";

const ROUNDS = 10;
const COLD_STARTS = 7;
const folder = new URL("../wasm/default/", import.meta.url);

/** Wire names of console tools, which have no command key; every other key is the name with dots, or the name itself. */
const CONSOLE = new Set(["whoami", "harness_load"]);
const { regate: data } = JSON.parse(readFileSync(new URL("data.json", folder), "utf8"));

/** A policy input as the corridor builds it for a tool; `fill` makes its arguments as large as wanted. */
function inputWith(name, fill) {
  const session = "mcp-1234567890123456789";
  const dotted = name.replaceAll("_", ".");
  const command_key = CONSOLE.has(name) ? null : Object.hasOwn(data.risk, dotted) ? dotted : name;
  return {
    time: "2026-01-01T00:00:00.000Z",
    user: "alice",
    groups: ["dev"],
    session_id: session,
    agent: { id: "agent-1", session_id: session, kind: "mcp", risk: "mutable", dry_run: false },
    command: name,
    args: ["command=git status"],
    arguments: { command: "git status", ...fill },
    tool: { name, command_key, source: "local", server: "", known: true, ...data.risk[command_key ?? name], pinned: false },
    path: "direct",
    session: { identity_confirmed: true, confirmed_profile: null, epoch: 0 },
    profile: { active: null },
    client: { elicitation: true },
    usage: { calls: 3, tool_calls: 1, calls_last_minute: 3, running: 0, denied: 0, elapsed_seconds: 12.5 },
    workdir: "/srv/app",
    method: "tools/call",
    environment: { sandbox: "none" },
  };
}

/** One call of each tool of the bundle, each of about so many bytes of JSON: records of short strings and numbers. */
function callsOf(bytes) {
  const rows = [];
  const size = () => JSON.stringify(inputWith("run_shell", { rows })).length;
  for (let left = bytes - size(); left > 60; left = bytes - size()) {
    for (let more = Math.max(1, Math.floor(left / 60)); more > 0; more -= 1)
      rows.push({ id: rows.length, path: `src/file-${rows.length}.ts`, keep: rows.length % 2 === 0 });
  }
  return data.ai_agent.tools.map((name) => inputWith(name, { rows }));
}

/**
 * The three rules of the default bundle in casbin's own language: a policy line for each tool, the identity sets as groups, everything else in
 * the matcher. It answers allow or deny, without reasons or effects.
 */
async function openCasbin() {
  const { ai_agent: agent, identity_gate: identity } = data;
  const conditions = [
    "r.input.command == p.tool",
    '(r.input.command != "run_shell" || r.input.agent.risk == "read" || r.input.agent.risk == "mutable" || r.input.agent.dry_run == true)',
    'r.input.agent.id != "" && r.input.agent.session_id != "" && r.input.agent.session_id == r.input.session_id',
    '((r.input.tool.known == true && r.input.tool.read_only == true) || r.input.session.identity_confirmed == true || (r.input.tool.command_key == null && g(r.input.command, "console read")) || (r.input.tool.command_key != null && (g(r.input.tool.command_key, "switch") || g(r.input.tool.command_key, "read"))))',
  ];
  const model = newModelFromString(`
[request_definition]
r = input
[policy_definition]
p = tool, eft
[role_definition]
g = _, _
[policy_effect]
e = some(where (p.eft == allow))
[matchers]
m = ${conditions.join(" && ")}
`);
  const group = (names, role) => names.map((name) => `g, ${name}, ${role}`);
  const lines = [
    ...agent.tools.map((tool) => `p, ${tool}, allow`),
    ...group(identity.profile_switching_commands, "switch"),
    ...group(identity.identity_read_commands, "read"),
    ...group(identity.identity_read_console_tools, "console read"),
  ];
  return newEnforcer(model, new StringAdapter(lines.join("\n")));
}

async function openPackage() {
  const policy = await loadPolicy(readFileSync(new URL("policy.wasm", folder)));
  policy.setData({ regate: data });
  return policy;
}

const unconfirmed = (input) => ({ ...input, session: { ...input.session, identity_confirmed: false } });

/** All three must say the same before their speed means anything. */
function checkAgreement({ engine, policy, enforcer }, inputs) {
  for (const input of inputs.flatMap((one) => [
    one,
    unconfirmed(one),
    { ...one, command: "admin_explain" },
    { ...one, session_id: "other" },
  ])) {
    const answers = [engine.decide(input).allow, policy.evaluate(input, "gate/decision")[0].result.allow, enforcer.enforceSync(input)];
    if (new Set(answers).size !== 1) throw new Error(`the engines disagree about ${input.command}: ${answers.join()}`);
  }
}

/** Milliseconds from the start of a process to its first decision, process start included. */
function coldStart() {
  const script = `const { loadEngine } = await import(${JSON.stringify(new URL("../dist/policy/load.js", import.meta.url).href)});
const begin = performance.now();
const engine = await loadEngine("default");
if (engine.decide({}).allow) throw new Error("allowed");
process.stdout.write(JSON.stringify([performance.now() - begin, performance.now()]));`;
  const runs = Array.from({ length: COLD_STARTS }, () =>
    JSON.parse(execFileSync(process.execPath, ["--input-type=module", "--eval", script]).toString()),
  );
  const median = (column) =>
    percentile(
      runs.map((run) => run[column]).toSorted((a, b) => a - b),
      0.5,
    );
  return [
    { what: "cold start: loadEngine and first decision", "p50 µs": median(0) * 1000 },
    { what: "cold start: process start to first decision", "p50 µs": median(1) * 1000 },
  ];
}

export async function run() {
  const [small, large] = [callsOf(1024), callsOf(100 * 1024)];
  const engines = { engine: await loadEngine("default"), policy: await openPackage(), enforcer: await openCasbin() };
  checkAgreement(engines, [...small, ...large]);
  const { engine, policy, enforcer } = engines;
  const guarded = await loadEngine("default", { deadlineMs: 1000 });
  const refused = small.filter(({ tool }) => !tool.read_only).map(unconfirmed);
  const next = (inputs, call) => (index) => call(inputs[index % inputs.length]);
  const decide = (input) => engine.decide(input);
  const enforce = (input) => enforcer.enforceSync(input);
  const evaluate = (input) => policy.evaluate(input, "gate/decision");
  const rows = await compare(
    [
      ["regate decide, 1 KB", next(small, decide)],
      ["casbin enforceSync, 1 KB", next(small, enforce)],
      ["opa-wasm evaluate, 1 KB", next(small, evaluate)],
      ["regate decide, 100 KB", next(large, decide)],
      ["casbin enforceSync, 100 KB", next(large, enforce)],
      ["regate decide, 1 KB, mutating and unconfirmed", next(refused, decide)],
      ["casbin enforceSync, 1 KB, mutating and unconfirmed", next(refused, enforce)],
      ["regate decide, 1 KB, in a worker with a deadline", next(small, (input) => guarded.decide(input))],
    ],
    { rounds: ROUNDS, calls: 1700 },
  );
  rows.push(...(await compare([["opa-wasm evaluate, 100 KB", next(large, evaluate)]], { rounds: 3, calls: 85 })));
  guarded.close();
  engine.close();
  return { title: "One decision of the default bundle: each of its tools in turn", rows: [...rows, ...coldStart()] };
}
