// Peers of decide(): OPA's own WebAssembly package on the module of the default bundle, and casbin on an equivalent policy.
import { readFileSync } from "node:fs";
import { loadPolicy } from "@open-policy-agent/opa-wasm";
import { newEnforcer, newModelFromString, StringAdapter } from "casbin";
import { data } from "./questions.mjs";

/**
 * The three rules of the default bundle in casbin's own language: a policy line for each tool, the identity sets as groups, everything else in
 * the matcher. It answers allow or deny, without reasons or effects.
 */
export async function openCasbin() {
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
  const enforcer = await newEnforcer(model, new StringAdapter(lines.join("\n")));
  return { call: (input) => enforcer.enforceSync(input), allows: (input) => enforcer.enforceSync(input), close() {} };
}

/** OPA's package: the whole input goes in, the result set comes out. */
export async function openPackage() {
  const policy = await loadPolicy(readFileSync(new URL("../wasm/default/policy.wasm", import.meta.url)));
  policy.setData({ regate: data });
  const call = (input) => policy.evaluate(input, "gate/decision");
  return { call, allows: (input) => call(input)[0].result.allow, close() {} };
}
