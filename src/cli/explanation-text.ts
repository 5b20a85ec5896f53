import { visible } from "../call/visible.ts";
import type { ExplainedCondition, Explanation } from "../govern/explanation.ts";

/** An explanation as lines for a terminal. */
export function explanationText(explanation: Explanation): string {
  const { outcome, tool, command, args = [], stages, reasons, warnings, next_steps } = explanation;
  const what = command === undefined ? tool : `${tool} \`${[command, ...args].join(" ")}\``;
  const width = Math.max(...stages.map(({ stage }) => stage.length));
  return [
    `${what}: ${words(outcome)}`,
    "",
    ...stages.map(({ stage, status, code, reason }) =>
      [`  ${stage.padEnd(width)}  ${words(status)}`, ...(code === undefined ? [] : [` (${code}): ${reason ?? ""}`])].join(""),
    ),
    ...section(
      "reasons",
      reasons.map(({ code, message }) => `${code}: ${message}`),
    ),
    ...section("these conditions hold", explanation.matched_conditions.map(conditionText)),
    ...section("these conditions do not hold", explanation.failed_conditions.map(conditionText)),
    ...section("conditions are not available", unavailable(explanation)),
    ...section(
      "warnings",
      warnings.map(({ code, message }) => `${code}: ${message}`),
    ),
    ...section("what would help", next_steps),
  ]
    .map((line) => `${visible(line)}\n`)
    .join("");
}

function words(status: string): string {
  return status.replaceAll("_", " ");
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ["", `${title}:`, ...lines.map((line) => `  ${line}`)];
}

function conditionText({ file, line, source, found }: ExplainedCondition): string {
  return `${file}:${line}  ${source}  (${found})`;
}

function unavailable({ conditions_unavailable: problem }: Explanation): readonly string[] {
  return problem === undefined ? [] : [problem];
}
