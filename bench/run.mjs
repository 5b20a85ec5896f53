// Runs every benchmark of this folder side by side in one process and writes bench/results/<name>.json.
// Each module exports `run(): Promise<{title, note?, rows}>`; a row is a flat object of text and numbers.
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";

const here = new URL("./", import.meta.url);
const wanted = process.argv.slice(2);
const names = readdirSync(here)
  .filter((file) => file.endsWith(".bench.mjs"))
  .map((file) => file.slice(0, -".bench.mjs".length))
  .filter((name) => wanted.length === 0 || wanted.includes(name))
  .sort();

function printTable(title, rows) {
  const columns = Object.keys(rows[0] ?? {});
  const cells = [columns, ...rows.map((row) => columns.map((column) => format(row[column])))];
  const widths = columns.map((_, index) => Math.max(...cells.map((line) => line[index].length)));
  process.stdout.write(`\n${title}\n`);
  for (const line of cells)
    process.stdout.write(
      `  ${line.map((cell, index) => (index === 0 ? cell.padEnd(widths[index]) : cell.padStart(widths[index]))).join("  ")}\n`,
    );
}

function format(value) {
  if (typeof value !== "number") return String(value ?? "");
  return Number.isInteger(value) ? String(value) : value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

mkdirSync(new URL("results/", here), { recursive: true });
for (const name of names) {
  const { run } = await import(new URL(`${name}.bench.mjs`, here).href);
  const { title, note, rows } = await run();
  printTable(title, rows);
  if (note !== undefined) process.stdout.write(`  ${note}\n`);
  const machine = { node: process.version, cpus: cpus().length };
  writeFileSync(new URL(`results/${name}.json`, here), `${JSON.stringify({ title, note, machine, rows }, null, 2)}\n`);
}
