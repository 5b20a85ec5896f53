import type { CoverageFile, CoverageReport } from "./results.ts";

/** Rows of a file that no test reached, as `3` or `3-5`, in order. */
export function uncoveredRows({ not_covered = [] }: CoverageFile): readonly string[] {
  const spans: [number, number][] = [];
  for (const { start, end } of [...not_covered].sort((a, b) => a.start.row - b.start.row)) {
    const last = spans.at(-1);
    if (last !== undefined && start.row <= last[1] + 1) last[1] = Math.max(last[1], end.row);
    else spans.push([start.row, end.row]);
  }
  return spans.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`));
}

/** What OPA says when the coverage is below the threshold, with the lines that are not covered. */
export function thresholdMessage(report: CoverageReport, threshold: number): string {
  const lines = Object.entries(report.files)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([path, file]) => uncoveredRows(file).map((rows) => `\t${path}:${rows}`));
  const head = `Code coverage threshold not met: got ${report.coverage.toFixed(2)} instead of ${threshold.toFixed(2)}`;
  return `${[head, ...(lines.length > 0 ? ["Lines not covered:", ...lines] : [])].join("\n")}\n`;
}
