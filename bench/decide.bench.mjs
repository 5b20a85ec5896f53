// decide() of every shipped bundle on distinct inputs, which WebAssembly evaluates, and on repeated ones, whose answers an engine remembers;
// the default bundle beside OPA's own WebAssembly package on the same module and casbin on an equivalent policy.
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { openCasbin, openPackage } from "./decide-peers.mjs";
import { openEngine, SUBJECTS, unconfirmed } from "./decide-subjects.mjs";
import { compare, percentile } from "./measure.mjs";
import { BUNDLES, checkQuestions, questionsTo } from "./questions.mjs";

const COLD_STARTS = 7;

/** All three must say the same before their speed means anything. */
async function checkAgreement() {
  const candidates = await Promise.all([openEngine("default"), openPackage(), openCasbin()]);
  for (const size of [1024, 100 * 1024]) {
    const { repeated, distinct } = questionsTo("default", size);
    for (const one of [repeated, distinct].flatMap((next) => Array.from({ length: 34 }, next)))
      for (const input of [one, unconfirmed(one), { ...one, command: "admin_explain" }, { ...one, session_id: "other" }]) {
        const answers = candidates.map(({ allows }) => allows(input));
        if (new Set(answers).size !== 1) throw new Error(`the engines disagree about ${input.command}: ${answers.join()}`);
      }
  }
  for (const candidate of candidates) candidate.close();
}

/** Opens each subject twice: once for distinct and once for repeated questions. */
async function openAll() {
  const opened = [];
  for (const { what, open, ask } of SUBJECTS)
    for (const inputs of ["distinct", "repeated"]) opened.push({ what, inputs, next: ask()[inputs], ...(await open()) });
  return opened;
}

async function measure(opened, options) {
  const rows = await compare(
    opened.map(({ what, inputs, call, next }) => [`${what} (${inputs})`, (_, input) => call(input), next]),
    options,
  );
  return opened.map(({ what, inputs }, at) => {
    const { what: _, ...figures } = rows[at];
    return { what, inputs, ...figures, ...memoryOf(what, inputs) };
  });
}

function memoryOf(what, inputs) {
  const program = fileURLToPath(new URL("decide-subjects.mjs", import.meta.url));
  return JSON.parse(execFileSync(process.execPath, ["--expose-gc", program, what, inputs]).toString());
}

/** Milliseconds from the start of a process to its first decision, process start included. */
function coldStart() {
  const script = `const { loadEngine } = await import(${JSON.stringify(new URL("../dist/policy/load.js", import.meta.url).href)});
const begin = performance.now();
const engine = await loadEngine("default");
if (engine.decide({}).allow) throw new Error("allowed");
process.stdout.write(JSON.stringify([performance.now() - begin, performance.now()]));`;
  const runs = Array.from({ length: COLD_STARTS }, () =>
    JSON.parse(execFileSync(process.execPath, ["--input-type=module", "--eval", script]).toString()),
  );
  const median = (column) =>
    percentile(
      runs.map((run) => run[column]).toSorted((a, b) => a - b),
      0.5,
    );
  return [
    { what: "cold start: loadEngine and first decision", inputs: "first", "p50 µs": median(0) * 1000 },
    { what: "cold start: process start to first decision", inputs: "first", "p50 µs": median(1) * 1000 },
  ];
}

export async function run() {
  for (const bundle of BUNDLES) checkQuestions(bundle);
  await checkAgreement();
  const opened = await openAll();
  const isSlow = ({ what }) => what === "opa-wasm default, 100 KB";
  const rows = [
    ...(await measure(
      opened.filter((one) => !isSlow(one)),
      { rounds: 8, calls: 1500 },
    )),
    ...(await measure(opened.filter(isSlow), { rounds: 3, calls: 85 })),
  ];
  for (const subject of opened) subject.close();
  const note =
    "distinct: every input is new, so the policy is evaluated; repeated: 16 or 17 inputs in turn, whose answers Regate remembers (casbin and opa-wasm remember none). holds KB: growth of heap and buffers by one subject and 300 inputs in a process of its own; RSS MB: that whole process, Node included.";
  return { title: "One decision of each shipped bundle, its tools in turn, beside peers", note, rows: [...rows, ...coldStart()] };
}
