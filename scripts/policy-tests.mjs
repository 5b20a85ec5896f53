// Runs the tests of the policies, of the examples' policies and of the house rules through OPA's own tester (as WebAssembly) and reports the counts for CI.
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";

const SUITES = [["policy", "bundles", "examples/approval/second_person", "examples/policies"], ["toolchain/house"]];

let [passed, failed, skipped] = [0, 0, 0];
for (const paths of SUITES) {
  const run = spawnSync(process.execPath, ["bin/regate.js", "policy", "test", "--format", "json", ...paths], {
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  process.stderr.write(run.stderr);
  const results = JSON.parse(run.stdout);
  for (const result of results) {
    if (result.fail || result.error) {
      failed += 1;
      process.stdout.write(`failed: ${result.package}.${result.name} (${result.location.file}:${result.location.row})\n`);
    } else if (result.skip) skipped += 1;
    else passed += 1;
  }
  const covered = spawnSync(process.execPath, ["bin/regate.js", "policy", "test", "--coverage", "--threshold", "100", ...paths], {
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  const ok = covered.status === 0;
  process.stdout.write(`${paths.join(" ")}: ${results.length} tests, coverage ${ok ? "100 %" : "below 100 %"}\n`);
  if (ok) passed += 1;
  else {
    failed += 1;
    process.stdout.write(`${covered.stdout.slice(-4000)}${covered.stderr}\n`);
  }
}
mkdirSync("test/.reports", { recursive: true });
writeFileSync("test/.reports/policy.json", JSON.stringify({ passed, failed, skipped }));
process.stdout.write(`policy tests: ${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
