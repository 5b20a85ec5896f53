// Runs case tables through the classifier and prints how it does: node scripts/shell-cases.mjs [FILE…]
// A file has one JSON object a line: {command, destructive, kind, why}. Exit code 1 below the goals.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { analyseCommand } from "../dist/shell/analyse.js";

const GOALS = { recall: 0.995, falsePositives: 0.01, p50: 60 };
const ROUNDS = 20;

/** Reads one case table. */
function readCases(file) {
  const lines = readFileSync(file, "utf8").split("\n");
  return lines.filter((line) => line.trim() !== "").map((line) => JSON.parse(line));
}

/** Microseconds per analysis, one figure per case and round, after a warm-up. */
function timings(cases) {
  const times = [];
  for (let round = 0; round < ROUNDS; round++) {
    for (const { command } of cases) {
      const start = performance.now();
      analyseCommand(command);
      if (round > 0) times.push((performance.now() - start) * 1000);
    }
  }
  return times.sort((a, b) => a - b);
}

const at = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
const percent = (part, whole) => (whole === 0 ? "-" : `${((100 * part) / whole).toFixed(1)} %`);

function printKinds(judged) {
  process.stdout.write("\nkind        destructive   found    other   flagged\n");
  for (const kind of [...new Set(judged.map((row) => row.kind))].sort((a, b) => a.localeCompare(b))) {
    const rows = judged.filter((row) => row.kind === kind);
    const yes = rows.filter((row) => row.destructive);
    const no = rows.filter((row) => !row.destructive);
    const cells = [yes.length, yes.filter((row) => row.flagged).length, no.length, no.filter((row) => row.flagged).length];
    process.stdout.write(
      `${kind.padEnd(12)}${String(cells[0]).padStart(11)}${cells
        .slice(1)
        .map((cell) => String(cell).padStart(9))
        .join("")}\n`,
    );
  }
}

function printMisses(judged) {
  for (const row of judged.filter((row) => row.flagged !== row.destructive)) {
    process.stdout.write(
      `\n${row.destructive ? "MISSED" : "FALSE POSITIVE"} [${row.kind}] ${JSON.stringify(row.command.slice(0, 200))}\n  why: ${row.why ?? ""}\n`,
    );
    for (const finding of row.findings) process.stdout.write(`  ${finding.rule} \`${finding.word}\` ${finding.start}-${finding.end}\n`);
  }
}

function main(files) {
  const cases = files.flatMap(readCases);
  const judged = cases.map((row) => {
    const analysis = analyseCommand(row.command);
    return { ...row, flagged: analysis.verdict !== "clear", findings: analysis.findings };
  });
  const times = timings(cases);
  const [yes, no] = [judged.filter((row) => row.destructive), judged.filter((row) => !row.destructive)];
  const found = yes.filter((row) => row.flagged).length;
  const flagged = no.filter((row) => row.flagged).length;
  process.stdout.write(`${cases.length} commands: recall ${percent(found, yes.length)} (${found} of ${yes.length}), `);
  process.stdout.write(`false positives ${percent(flagged, no.length)} (${flagged} of ${no.length}), `);
  process.stdout.write(`p50 ${at(times, 0.5).toFixed(1)} µs, p99 ${at(times, 0.99).toFixed(1)} µs\n`);
  printKinds(judged);
  printMisses(judged);
  const good = found >= GOALS.recall * yes.length && flagged <= GOALS.falsePositives * no.length && at(times, 0.5) <= GOALS.p50;
  return good ? 0 : 1;
}

const files = process.argv.slice(2);
process.exitCode = main(files.length > 0 ? files : [fileURLToPath(new URL("../test/cases/shell.jsonl", import.meta.url))]);
