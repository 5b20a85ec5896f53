// The steps of CI, in order, with what each runner reported. The last line is `N passed, N failed`.
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";

const REPORTS = "test/.reports";

/** Name, command, and the JSON report (`{passed, failed}` or vitest's) that the step must leave, if it counts tests. */
const STEPS = [
  ["packages", ["npm", "ci", "--no-audit", "--no-fund"]],
  ["system parts", ["node", "scripts/system-parts.mjs", "--install"]],
  ["build", ["make", "build"]],
  ["format", ["make", "fmt-check"]],
  ["lint", ["make", "lint"]],
  ["types", ["make", "types"]],
  ["dead code", ["make", "knip"]],
  ["policy check", ["make", "policy-check"]],
  ["tests", ["make", "test"], "vitest.json"],
  ["demo", ["make", "demo"]],
  ["identity demo", ["make", "demo-identity"]],
  ["tools service demo", ["make", "demo-worker"]],
  ["approval demo", ["make", "demo-approval"]],
  ["native OPA", ["make", "native-check"], "native.json"],
  ["toolchain digest", ["make", "toolchain-check"]],
  ["Starlark digest", ["make", "starlark-check"]],
  ["generated files", ["make", "wasm-check"]],
];

/** Counts one report: vitest's JSON, or `{passed, failed}`. */
function countsOf(file) {
  const report = JSON.parse(readFileSync(`${REPORTS}/${file}`, "utf8"));
  return "numTotalTests" in report
    ? { passed: report.numPassedTests, failed: report.numFailedTests, skipped: report.numPendingTests + report.numTodoTests }
    : { passed: report.passed, failed: report.failed, skipped: report.skipped ?? 0 };
}

function runStep([name, [command, ...args], report]) {
  const started = Date.now();
  process.stdout.write(`\n== ${name}: ${[command, ...args].join(" ")}\n`);
  const { status, error } = spawnSync(command, args, { stdio: ["ignore", "inherit", "inherit"], env: { ...process.env, CI: "true" } });
  const ok = status === 0 && error === undefined;
  process.stdout.write(
    `== ${name}: ${ok ? "ok" : `failed (${error?.message ?? `exit ${status}`})`} in ${((Date.now() - started) / 1000).toFixed(1)} s\n`,
  );
  if (report !== undefined && !readdirSync(REPORTS).includes(report)) return { name, ok: false };
  return { name, ok };
}

rmSync(REPORTS, { recursive: true, force: true });
mkdirSync(REPORTS, { recursive: true });
const results = [];
for (const step of STEPS) {
  const result = runStep(step);
  results.push(result);
  if (!result.ok && ["packages", "build"].includes(result.name)) break;
}

let [passed, failed, skipped] = [0, 0, 0];
for (const file of readdirSync(REPORTS).filter((name) => name.endsWith(".json"))) {
  const counts = countsOf(file);
  process.stdout.write(`${file}: ${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped\n`);
  passed += counts.passed;
  failed += counts.failed;
  skipped += counts.skipped;
}
const broken = results.filter(({ ok }) => !ok).map(({ name }) => name);
if (skipped > 0) process.stdout.write(`${skipped} skipped: with CI=true a skip is a failure\n`);
if (broken.length > 0) process.stdout.write(`failed steps: ${broken.join(", ")}\n`);
// A failed step that counts no tests of its own is one failure; so is each skipped test.
const stepFailures = results.filter(({ ok, name }) => !ok && !STEPS.find(([step]) => step === name)?.[2]).length;
failed += stepFailures + skipped + (broken.length > 0 && failed + stepFailures + skipped === 0 ? 1 : 0);
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 && broken.length === 0 && passed > 0 ? 0 : 1;
