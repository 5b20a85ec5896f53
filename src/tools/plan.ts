import type { JsonObject } from "../call/json.ts";
import type { ShellCommand, ShellWord, ToolCall } from "../call/tool-call.ts";
import { visible } from "../call/visible.ts";
import type { Decision } from "../policy/decision.ts";
import type { ToolOutput } from "./tool.ts";

/**
 * The plan that a dry run answers with, instead of running anything (design §5): the parsed programs, the findings and what policy said.
 * @param call an admitted run_shell call with its analysis
 * @param decision the policy's decision on it
 * @returns structured content `{dry_run: true, command, verdict, commands, findings, redirects, policy: {allow, reasons, warnings}}` and a text for people
 */
export function planOf(call: ToolCall, decision: Decision): ToolOutput {
  const { shell } = call;
  const command = call.arguments["command"];
  if (shell === undefined || typeof command !== "string") throw new Error("only a run_shell call with a command has a plan");
  const structured = {
    dry_run: true,
    command,
    verdict: shell.verdict,
    commands: shell.commands,
    findings: shell.findings,
    redirects: shell.redirects,
    policy: { allow: decision.allow, reasons: decision.reasons, warnings: decision.warnings ?? [] },
  };
  // A copy by JSON: the analysis is shared and read-only, a result is the receiver's own.
  return { structured: JSON.parse(JSON.stringify(structured)) as JsonObject, text: textOf(call, decision) };
}

function textOf(call: ToolCall, decision: Decision): string {
  const { commands = [], findings = [], redirects = [], verdict = "unverifiable" } = call.shell ?? {};
  return [
    "dry run: nothing was executed",
    `verdict: ${verdict}`,
    ...commands.map((command) => `would run: ${programOf(command)}`),
    ...redirects.map((redirect) => `would redirect: ${redirect.op} ${wordOf(redirect.target)}`),
    ...findings.map((finding) => `finding: ${finding.rule} (${finding.verdict}) at \`${visible(finding.word)}\``),
    `policy: ${decision.allow ? "allow" : "deny"}`,
    ...decision.reasons.map((reason) => `reason: ${visible(reason.message)} (${reason.code})`),
    ...(decision.warnings ?? []).map((warning) => `warning: ${visible(warning.message)} (${warning.code})`),
  ].join("\n");
}

function programOf(command: ShellCommand): string {
  const words = command.argv.map(wordOf).join(" ");
  return command.via.length === 0 ? words : `${words} (through ${command.via.map(visible).join(", ")})`;
}

function wordOf(word: ShellWord): string {
  return typeof word === "string" ? visible(word) : `{${visible(word.text)}}`;
}
