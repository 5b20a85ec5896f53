#!/usr/bin/env node
// Proves that the toolchain in WebAssembly is OPA: the same module bytes, test results, coverage and formatting as the native command.
//   node scripts/native-cross-check.mjs --opa PATH
// Prints a line for each check and ends with `N passed, N failed`; exit code 1 when one failed.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { gunzipSync } from "node:zlib";
import { buildBundle, requestFor } from "../dist/rego/bundle-build.js";
import { bundleNames, readBundleSources } from "../dist/rego/bundle-sources.js";
import { gather } from "../dist/rego/gather.js";
import { openToolchain } from "../dist/rego/toolchain.js";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const SUITES = [["policy", "bundles"], ["toolchain/house"]];
const at = process.argv.indexOf("--opa");
const opa = at < 0 ? "opa" : process.argv[at + 1];
const folder = mkdtempSync(join(tmpdir(), "regate-native-"));
const results = [];

function record(what, passed, note = "") {
  results.push(passed);
  process.stdout.write(`${passed ? "ok" : "not ok"} - ${what}${passed || note === "" ? "" : `: ${note}`}\n`);
}

function native(...words) {
  return execFileSync(opa, words, { cwd: ROOT, encoding: "utf8", maxBuffer: 1 << 28 });
}

/** Members of a tar.gz by name; the bundles of OPA have short names and plain files only. */
function membersOf(archive) {
  const tar = gunzipSync(archive);
  const members = new Map();
  for (let start = 0; start + 512 <= tar.length && tar[start] !== 0;) {
    const name = tar.toString("latin1", start, start + 100).replace(/\0.*$/su, "");
    const size = Number.parseInt(tar.toString("latin1", start + 124, start + 136), 8);
    members.set(name, tar.subarray(start + 512, start + 512 + size));
    start += 512 + Math.ceil(size / 512) * 512;
  }
  return members;
}

/** The value of a successful outcome. */
function valueOf(outcome) {
  if (!outcome.ok) throw new Error(outcome.text);
  return outcome.value;
}

async function compareBundle(toolchain, name) {
  const sources = await readBundleSources(ROOT, name);
  const { paths, entrypoints, optimize } = requestFor(sources, {});
  const output = join(folder, `${name}.tar.gz`);
  const flags = ["-t", "wasm", "--prune-unused", "-O", String(optimize), "--capabilities", sources.capabilities.path, "-o", output];
  native("build", ...flags, ...entrypoints.flatMap((entrypoint) => ["-e", entrypoint]), ...paths);
  const members = membersOf(readFileSync(output));
  const ours = valueOf(await buildBundle(toolchain, ROOT, name));
  for (const file of ["policy.wasm", "data.json"]) {
    const expected = members.get(`/${file}`);
    record(`bundle ${name}: ${file} is what native opa builds`, expected.equals(ours.get(file)));
    record(`bundle ${name}: wasm/${name}/${file} is what native opa builds`, expected.equals(readFileSync(join(ROOT, "wasm", name, file))));
  }
}

/** A result without what differs from run to run: the time, and the number that OPA gives equal names in random order. */
function outcomeOf({ location, package: of, name, fail = false, skip = false, error, output, sub_results: cases }) {
  const errors = error === undefined ? null : { code: error.code, message: error.message, location: error.location };
  return [
    `${location.file}:${location.row}`,
    { of, name: name.replace(/#\d+$/u, ""), fail, skip, errors, output: output ?? null, cases: cases ?? null },
  ];
}

async function compareSuite(toolchain, paths) {
  const files = await gather({ cwd: ROOT, paths });
  const list = spawnSync(opa, ["test", "--format", "json", "--timeout", "120s", ...paths], {
    cwd: ROOT,
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  const ours = valueOf(await toolchain.test({ ...files, coverage: true, json: true, timeoutMs: 120_000 }));
  const [expected, found] = [list.stdout, ours.text].map((text) => new Map(JSON.parse(text).map(outcomeOf)));
  record(
    `${paths.join(" ")}: as many tests as native opa (${expected.size})`,
    expected.size === found.size && expected.size > 0,
    `${found.size}`,
  );
  const different = [...expected].filter(([place, outcome]) => !isDeepStrictEqual(outcome, found.get(place))).map(([place]) => place);
  record(`${paths.join(" ")}: the same result for every test`, different.length === 0, different.slice(0, 5).join(", "));
  const coverage = JSON.parse(native("test", "--coverage", "--timeout", "120s", ...paths));
  record(`${paths.join(" ")}: the same coverage (${coverage.coverage} %)`, isDeepStrictEqual(coverage, ours.coverage));
}

async function compareFormat(toolchain, path) {
  const { files } = await gather({ cwd: ROOT, paths: [path], onlyRego: true });
  const { formatted, errors } = valueOf(await toolchain.format({ files }));
  const unequal = [...files.keys()].filter((file) => native("fmt", file) !== formatted.get(file));
  record(`${path}: ${files.size} files are formatted as by native opa`, errors.length === 0 && unequal.length === 0, unequal.join(", "));
}

async function compareVersion(toolchain) {
  const { opa: ours } = valueOf(await toolchain.version());
  record(`version ${ours}`, native("version").includes(`Version: ${ours}\n`));
  const capabilities = valueOf(await toolchain.capabilities());
  record("capabilities", isDeepStrictEqual(capabilities, JSON.parse(native("capabilities", "--current"))));
}

/** A check that cannot be carried out has failed; the others still run. */
async function attempt(what, check) {
  try {
    await check();
  } catch (error) {
    record(what, false, `${error.message} ${error.stdout ?? ""}`.trim());
  }
}

const toolchain = openToolchain({ limitMs: 600_000 });
try {
  await attempt("version", () => compareVersion(toolchain));
  for (const name of await bundleNames(ROOT)) await attempt(`bundle ${name}`, () => compareBundle(toolchain, name));
  for (const paths of SUITES) await attempt(paths.join(" "), () => compareSuite(toolchain, paths));
  for (const path of ["policy", "toolchain/house"]) await attempt(`format of ${path}`, () => compareFormat(toolchain, path));
} finally {
  await toolchain.close();
  rmSync(folder, { recursive: true, force: true });
}
const failed = results.filter((passed) => !passed).length;
mkdirSync(join(ROOT, "test/.reports"), { recursive: true });
writeFileSync(join(ROOT, "test/.reports/native.json"), JSON.stringify({ passed: results.length - failed, failed }));
process.stdout.write(`${results.length - failed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;
