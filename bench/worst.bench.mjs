// Hard inputs to every bundle that Regate ships: those are evaluated without a deadline unless one is asked for. The longest command lines,
// which agents write, and every value that a bundle reads made large. The baseline, in the same run, is an ordinary new question to the same bundle.
import { loadEngine } from "../dist/index.js";
import { INPUT_LIMITS } from "../dist/policy/limits.js";
import { compileProjection } from "../dist/policy/projection.js";
import { analyseCommand } from "../dist/shell/analyse.js";
import { percentile } from "./measure.mjs";
import { BUNDLES, questionsTo, readBundle } from "./questions.mjs";
import { worstInputs, WORST_LINES } from "./worst-inputs.mjs";

const ROUNDS = 3;
/** Items of a list, or characters, of the one value that is large: more than anything but a command line has in use. */
const SIZE = 10_000;
/** Rows that are shown of each bundle, the longest first; command lines are shown all. */
const SHOWN = 2;

/** Command lines as run_shell's analysis gives them to the bundle. */
function lineInputs() {
  return WORST_LINES.map(({ name, line }) => {
    const { verifiable, commands, redirects } = analyseCommand(line);
    const shell = { verifiable, commands, redirects };
    return { name: `64 KiB line: ${name}`, input: { command: "run_shell", agent: { risk: "mutable", dry_run: false }, shell } };
  });
}

function candidatesOf(bundle) {
  const manifest = readBundle(bundle, "manifest.json");
  const project = compileProjection(manifest.input_paths, INPUT_LIMITS.bytes);
  const made = worstInputs(manifest).map((family) => ({ name: family.name, input: family.inputOf(SIZE) }));
  const all = bundle === "shell-commands" ? [...made, ...lineInputs()] : made;
  return all.map(({ name, input }) => ({ name, input, bytes: Buffer.byteLength(project(input)) }));
}

function millisecondsOf(call) {
  const started = performance.now();
  call();
  return performance.now() - started;
}

const sorted = (numbers) => numbers.toSorted((a, b) => a - b);

async function measure(bundle) {
  const faults = [];
  const engine = await loadEngine(bundle, { onFault: (fault) => faults.push(fault.message) });
  const next = questionsTo(bundle, 1024).distinct;
  const usual = percentile(
    sorted(Array.from({ length: 2000 }, () => next()).map((input) => millisecondsOf(() => engine.decide(input)))),
    0.5,
  );
  const rows = candidatesOf(bundle).map(({ name, input, bytes }) => {
    faults.length = 0;
    const times = sorted(Array.from({ length: ROUNDS }, () => millisecondsOf(() => engine.decide(input))));
    const p50 = percentile(times, 0.5);
    return { bundle, what: name, bytes, "p50 ms": p50, "max ms": times.at(-1), ratio: Math.round(p50 / usual), fault: faults[0] ?? "" };
  });
  engine.close();
  const slowest = rows.toSorted((a, b) => b["p50 ms"] - a["p50 ms"]);
  const lines = slowest.filter(({ what }) => what.startsWith("64 KiB line"));
  return [...slowest.filter((row) => !lines.includes(row)).slice(0, SHOWN), ...lines];
}

export async function run() {
  const rows = [];
  for (const bundle of BUNDLES) rows.push(...(await measure(bundle)));
  const note =
    "ratio: p50 against the median of 2,000 new 1 KB questions to the same bundle. bytes: what the policy is sent. Only command lines come from an agent; of the others, one value that the bundle reads has 10,000 items or characters, and the two slowest of each bundle are shown.";
  return { title: "Hard inputs to shipped bundles, without a deadline", note, rows };
}
