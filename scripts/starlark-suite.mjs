// Runs the test suite of github.com/bazelbuild/starlark against our engine (docs/starlark.md); the suite is not part of this repository.
//   node scripts/starlark-suite.mjs <folder of the suite: test_suite/testdata>
// Exit code 1 when fewer than 425 chunks pass.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { openStarlark } from "../dist/starlark/engine.js";

const REQUIRED = 425;
// The suite's own functions; a failed assertion prints.
const PRELUDE = `
def assert_eq(x, y):
  if x != y: print("%r != %r" % (x, y))
def assert_ne(x, y):
  if x == y: print("%r == %r" % (x, y))
def assert_(cond, msg="assertion failed"):
  if not cond: print(msg)
`;

/** Chunks of a file: source, and the errors that it expects from a Go implementation. */
function chunksOf(text) {
  return text.split(/^---.*$/mu).map((source) => ({
    source,
    expected: [...source.matchAll(/###\s*(?:(go|java|rust):)?\s*(.+)$/gmu)]
      .filter(([, only]) => only === undefined || only === "go")
      .map(([, , pattern]) => new RegExp(pattern.trim(), "i")),
  }));
}

/** What is wrong with a chunk; undefined when it passes. */
async function failureOf(engine, { source, expected }) {
  try {
    const { output } = await engine.evaluate({ source: PRELUDE + source, call: () => Promise.reject(new Error("no tools here")) });
    if (expected.length > 0) return `no error, expected ${expected[0]}`;
    return output === "" ? undefined : output.trim();
  } catch (error) {
    if (expected.length === 0) return error.message;
    return expected.some((pattern) => pattern.test(error.message)) ? undefined : `${error.message}, expected ${expected[0]}`;
  }
}

async function run(folder) {
  const engine = openStarlark({ limits: { steps: 10_000_000, timeMs: 60_000, memoryMb: 128, outputBytes: 65_536 } });
  const counts = { chunks: 0, passed: 0 };
  const files = readdirSync(folder, { recursive: true })
    .filter((name) => name.endsWith(".star"))
    .toSorted((a, b) => (a < b ? -1 : 1));
  for (const file of files) {
    for (const [index, chunk] of chunksOf(readFileSync(join(folder, file), "utf8")).entries()) {
      const failure = await failureOf(engine, chunk);
      counts.chunks += 1;
      if (failure === undefined) counts.passed += 1;
      else process.stdout.write(`${file} chunk ${index + 1}: ${String(failure)}\n`);
    }
  }
  await engine.close();
  process.stdout.write(`${counts.passed} of ${counts.chunks} chunks in ${files.length} files pass\n`);
  process.exitCode = counts.passed >= REQUIRED ? 0 : 1;
}

const [folder] = process.argv.slice(2);
if (folder === undefined) {
  process.stderr.write("usage: node scripts/starlark-suite.mjs <folder with the suite's .star files>\n");
  process.exitCode = 2;
} else await run(folder);
