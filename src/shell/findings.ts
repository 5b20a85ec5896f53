import type { ShellAnalysis, ShellFinding } from "../call/tool-call.ts";

const MAX_FINDINGS = 64;

/** The worst verdict among findings. */
export function verdictOf(findings: readonly ShellFinding[]): ShellAnalysis["verdict"] {
  if (findings.some((finding) => finding.verdict === "destructive")) return "destructive";
  return findings.length > 0 ? "unverifiable" : "clear";
}

/**
 * Findings in source order, identical ones collapsed, at most 64: when there are more, the last one is a marker
 * (`findings.truncated`, with the verdict of the whole) that says so (reference: shell.md §3).
 */
export function tidyFindings(findings: readonly ShellFinding[]): ShellFinding[] {
  const unique = new Map(findings.map((finding) => [`${finding.rule}\0${finding.start}\0${finding.end}\0${finding.word}`, finding]));
  const sorted = [...unique.values()].toSorted((a, b) => a.start - b.start || a.end - b.end);
  if (sorted.length <= MAX_FINDINGS) return sorted;
  const kept = sorted.slice(0, MAX_FINDINGS - 1);
  const first = sorted[MAX_FINDINGS - 1]!;
  const verdict = verdictOf(sorted) === "destructive" ? "destructive" : "unverifiable";
  return [...kept, { rule: "findings.truncated", verdict, word: "", start: first.start, end: sorted.at(-1)!.end }];
}
