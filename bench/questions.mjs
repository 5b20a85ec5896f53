// Questions to the policy of shipped bundles: the inputs that the corridor builds, each with a number that makes it one of its own.
import { readFileSync } from "node:fs";
import { compileProjection } from "../dist/policy/projection.js";

/** Wire names of console tools, which have no command key; every other key is the name with dots, or the name itself. */
const CONSOLE = new Set(["whoami", "harness_load"]);
/** How many questions the repeated ones are; an engine remembers 128 texts. */
const REPEATED = 16;
const BUNDLES = ["agent-session", "ai-agent", "default", "identity-gate", "shell-commands", "tools-service"];

const readBundle = (name, file) => JSON.parse(readFileSync(new URL(`../wasm/${name}/${file}`, import.meta.url), "utf8"));
const { regate: data } = readBundle("default", "data.json");
const { tools } = data.ai_agent;

/** A policy input as the corridor builds it for a tool; `fill` goes into its arguments. */
function inputWith(name, fill) {
  const dotted = name.replaceAll("_", ".");
  const command_key = CONSOLE.has(name) ? null : Object.hasOwn(data.risk, dotted) ? dotted : name;
  return {
    time: "2026-01-01T00:00:00.000Z",
    user: "alice",
    groups: ["dev"],
    ...claimOf(0),
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

/** The claim of one of many sessions. */
function claimOf(number) {
  const session_id = `mcp-${10_000_000 + number}`;
  return { session_id, agent: { id: `agent-${10_000_000 + number}`, session_id, kind: "mcp", risk: "mutable", dry_run: false } };
}

/** Records of short strings and numbers, until an input with them is so many bytes of JSON. */
function rowsOf(bytes) {
  const rows = [];
  const size = () => JSON.stringify(inputWith("run_shell", { rows })).length;
  for (let left = bytes - size(); left > 60; left = bytes - size()) {
    for (let more = Math.max(1, Math.floor(left / 60)); more > 0; more -= 1)
      rows.push({ id: rows.length, path: `src/file-${rows.length}.ts`, keep: rows.length % 2 === 0 });
  }
  return rows;
}

const simple = (...argv) => ({ name: argv[0], argv, via: [] });

/** What makes a question new to each bundle: something that it reads and that differs from call to call in use. */
const NEW_TO = {
  "agent-session": claimOf,
  "ai-agent": (number) => ({ elevation: { role: "human-approved-agent", reason: `ticket ${number}`, tools: ["run_shell"] } }),
  default: claimOf,
  "identity-gate": (number) => ({
    command: `files${number}__read`,
    tool: { name: "read", command_key: "read", source: "upstream", server: `files${number}`, known: true, ...data.risk.audit_log },
  }),
  "shell-commands": (number) => ({
    command: "run_shell",
    shell: { verifiable: true, commands: [simple("git", "log", "-n", `${number}`), simple("head", "-n", "5")], redirects: [] },
  }),
  "tools-service": (number) => ({ ...claimOf(number), command: "run_shell", subject: { user_id: `user-${number}`, platform: "os" } }),
};

/**
 * Makes questions to one bundle, each of its tools in turn where it has such.
 * @param bundle a shipped bundle
 * @param bytes of JSON that a question has, at least 1,024
 * @returns `distinct`, a new question at every call, and `repeated`, the same 16 (or one for each tool) again and again
 */
export function questionsTo(bundle, bytes) {
  const rows = rowsOf(bytes);
  const forms = tools.map((name) => inputWith(name, { rows }));
  const of = (number) => ({ ...forms[number % forms.length], ...NEW_TO[bundle](number) });
  const same = Array.from({ length: Math.max(REPEATED, forms.length) }, (_, number) => of(number));
  let number = same.length;
  let turn = 0;
  return { distinct: () => of((number += 1)), repeated: () => same[(turn += 1) % same.length] };
}

/** Refuses questions that an engine would take for others than they are said to be: what counts is the part that the policy reads. */
export function checkQuestions(bundle) {
  const project = compileProjection(readBundle(bundle, "manifest.json").input_paths, 4 * 1024 * 1024);
  const { distinct, repeated } = questionsTo(bundle, 1024);
  const textsOf = (next) => new Set(Array.from({ length: 500 }, () => project(next()))).size;
  if (textsOf(distinct) !== 500) throw new Error(`questions to ${bundle} are not distinct`);
  if (textsOf(repeated) > 32) throw new Error(`questions to ${bundle} are not repeated`);
}

export { BUNDLES, data, readBundle };
