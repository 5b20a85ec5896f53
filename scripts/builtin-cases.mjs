// Writes test/policy/fixtures/builtins.json: what native OPA answers for many calls of the builtins that the engine supplies.
// Usage: node scripts/builtin-cases.mjs [path of opa] [random cases per builtin] [seed] [output file]
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { curated } from "./builtin-cases-curated.mjs";
import { pools } from "./builtin-cases-pools.mjs";

const [opa = "opa", count = "15", seed = "1", output = "test/policy/fixtures/builtins.json"] = process.argv.slice(2);

/** xorshift32: the same cases on every machine. */
let state = Number(seed) | 1;
function random(limit) {
  state ^= state << 13;
  state ^= state >>> 17;
  state ^= state << 5;
  return (state >>> 0) % limit;
}

const pick = (list) => list[random(list.length)];

/** Cases as [builtin, operands in Rego text]. */
function* cases() {
  for (const [name, rows] of Object.entries(curated)) for (const operands of rows) yield [name, operands];
  for (const [name, operandPools] of Object.entries(pools)) {
    for (let index = 0; index < Number(count); index += 1)
      yield [name, operandPools.map((pool) => (typeof pool === "function" ? pool(random, pick) : pick(pool)))];
  }
}

const CHUNK = 100;

/** Operands go through a function over an array, so that OPA's compiler neither folds them nor knows their types. */
function ask(rows) {
  const folder = mkdtempSync(join(tmpdir(), "builtin-cases-"));
  const file = join(folder, "cases.rego");
  const answers = [];
  for (let start = 0; start < rows.length; start += CHUNK) {
    const rules = rows.slice(start, start + CHUNK).map(([name, operands], index) => {
      const call = `${name}(${operands.map((text) => `any_value([${text}])`).join(", ")})`;
      return `r${index} := [y | y := ${call}]`;
    });
    const all = `all := [${rules.map((_, index) => `r${index}`).join(", ")}]`;
    writeFileSync(file, ["package cases", "any_value(list) := value if some value in list", ...rules, all].join("\n"));
    const text = execFileSync(opa, ["eval", "--format", "json", "--data", file, "data.cases.all"], { maxBuffer: 1 << 30 }).toString();
    answers.push(...parseLossless(text).result[0].expressions[0].value);
  }
  rmSync(folder, { recursive: true });
  return answers;
}

/** JSON with numbers as `{n: text}`. */
function parseLossless(text) {
  const marked = text.replaceAll(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g, (token) => (token.startsWith('"') ? token : `{"n":"${token}"}`));
  return JSON.parse(marked);
}

const unique = new Map();
for (const row of cases()) unique.set(JSON.stringify(row), row);
const rows = [...unique.values()];
const answers = ask(rows);
const lines = rows.map(([name, operands], index) => JSON.stringify([name, operands, ...answers[index]]));
writeFileSync(output, `[\n${lines.join(",\n")}\n]\n`);
