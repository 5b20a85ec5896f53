import { z } from "zod";
import type { JsonObject } from "../call/json.ts";
import type { ShellCommand, ShellWord, ToolCall } from "../call/tool-call.ts";
import { visible } from "../call/visible.ts";
import type { Decision } from "../policy/decision.ts";
import type { ToolOutput } from "./tool.ts";

const word = z.union([z.string(), z.strictObject({ dynamic: z.literal(true), text: z.string() })]);
const reason = z.strictObject({ code: z.string(), rule: z.string(), message: z.string(), remedy: z.string().optional() });

/** Form of a plan: the second form of run_shell's output, beside that of a run. */
export const planSchema = z.strictObject({
  dry_run: z.literal(true),
  command: z.string(),
  verdict: z.enum(["destructive", "unverifiable", "clear"]),
  commands: z.array(z.strictObject({ name: z.string(), argv: z.array(word), via: z.array(z.string()) })),
  findings: z.array(
    z.strictObject({
      rule: z.string(),
      verdict: z.enum(["destructive", "unverifiable"]),
      word: z.string(),
      start: z.int(),
      end: z.int(),
    }),
  ),
  redirects: z.array(z.strictObject({ op: z.string(), target: word })),
  policy: z.strictObject({ allow: z.boolean(), reasons: z.array(reason), warnings: z.array(reason) }),
});

/**
 * The plan that a dry run answers with, instead of running anything (design §5): the parsed programs, the findings and what policy said.
 * @param call an admitted run_shell call with its analysis
 * @param decision the policy's decision on it
 * @returns structured content as `planSchema` has it, and a text for people
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
