// Builds a Go main into a shipped WebAssembly module: Go → WebAssembly, memory maximum, brotli, manifest, NOTICE (docs/toolchain.md).
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync, brotliDecompressSync, constants } from "node:zlib";
import { limitMemory } from "../dist/wasm/memory.js";
import { renderNotice } from "./go-notice.mjs";

const sha256 = (bytes) => createHash("sha256").update(bytes).digest("hex");

/** Nothing of the caller's Go settings may reach the build: they would change its bytes. */
function goEnvironment(goVersion) {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(?:GO(?!PROXY$|SUMDB$|MODCACHE$|CACHE$|PATH$|NOSUMDB$|NOSUMCHECK$|PRIVATE$)|CGO_)/u.test(name),
  );
  return {
    ...Object.fromEntries(kept),
    GOOS: "wasip1",
    GOARCH: "wasm",
    GOTOOLCHAIN: goVersion,
    GOFLAGS: "",
    GOWORK: "off",
    GOENV: "off",
    CGO_ENABLED: "0",
  };
}

/** Runs the go command of that version in a folder and gives what it prints. */
function goOf(goVersion) {
  const env = goEnvironment(goVersion);
  return (cwd, ...words) =>
    execFileSync("go", words, { cwd, env, encoding: "utf8", maxBuffer: 1 << 26, stdio: ["ignore", "pipe", "inherit"] });
}

/** Compiles a copy of the sources in a fresh folder, so that no path of this machine can end up in the module. */
function compile({ folder, file, maximumPages, goVersion }) {
  const go = goOf(goVersion);
  const copy = mkdtempSync(join(tmpdir(), "regate-go-"));
  try {
    for (const name of readdirSync(folder).filter((entry) => /^go\.(?:mod|sum)$|\.go$/u.test(entry)))
      cpSync(join(folder, name), join(copy, name));
    const output = join(copy, "module.wasm");
    go(copy, "build", "-buildmode=c-shared", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", output, ".");
    return {
      module: limitMemory(readFileSync(output), maximumPages),
      notice: renderNotice({ folder: copy, go, goVersion, file }),
    };
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** The window is memory of whoever unpacks the module: for a small one 4 MiB are enough. */
function compress(module) {
  return brotliCompressSync(module, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: 11,
      [constants.BROTLI_PARAM_LGWIN]: module.byteLength > 1 << 23 ? 24 : 22,
      [constants.BROTLI_PARAM_SIZE_HINT]: module.byteLength,
    },
  });
}

function write(build) {
  const { folder, name, file, versions, maximumPages } = build;
  const { module, notice } = compile(build);
  const compressed = compress(module);
  const manifest = {
    ...versions,
    maximum_pages: maximumPages,
    module: { sha256: sha256(module), bytes: module.byteLength },
    compressed: { file, sha256: sha256(compressed), bytes: compressed.byteLength },
  };
  writeFileSync(join(folder, file), compressed);
  writeFileSync(join(folder, "manifest.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  writeFileSync(join(folder, "NOTICE"), notice);
  return `${name}: module ${manifest.module.sha256} (${module.byteLength} bytes), compressed ${compressed.byteLength} bytes`;
}

/** Compares a new build, the manifest and the committed file; the compressor may differ between Node versions, so its bytes are only compared with the manifest. */
function check(build) {
  const { folder, name } = build;
  const manifest = JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8"));
  const committed = readFileSync(join(folder, manifest.compressed.file));
  const { module, notice } = compile(build);
  const facts = [
    ["module built from the sources", sha256(module), manifest.module.sha256],
    ["module in the committed file", sha256(brotliDecompressSync(committed)), manifest.module.sha256],
    ["committed file", sha256(committed), manifest.compressed.sha256],
    ["NOTICE", sha256(notice), sha256(readFileSync(join(folder, "NOTICE")))],
  ];
  const wrong = facts.filter(([, found, expected]) => found !== expected);
  for (const [what, found, expected] of wrong) process.stderr.write(`${name}: ${what} is ${found}, not ${expected}\n`);
  if (wrong.length > 0) throw new Error(`${name} is not what its sources build: run \`make ${name}\``);
  return `${name}: module ${manifest.module.sha256} is what the sources build`;
}

/**
 * Writes the module of one folder, its manifest and NOTICE, or with `--check` builds into a temporary folder and compares digests with what
 * is committed. Sets the exit code.
 * @param name names the folder's make target
 * @param folder with go.mod and the Go files
 * @param file name of the compressed module
 * @param maximumPages largest memory, in pages of 64 KiB
 * @param pinned Go module whose version stands in the manifest, as `[key, module path]`
 */
export function buildGoModule({ name, folder, file, maximumPages, pinned: [key, path] }) {
  const mod = readFileSync(join(folder, "go.mod"), "utf8");
  const goVersion = /^toolchain (go\S+)$/mu.exec(mod)[1];
  const words = mod.split(/\s+/u);
  const version = words[words.indexOf(path) + 1];
  const versions = { [key]: version.replace(/^v/u, ""), go: goVersion };
  try {
    const act = process.argv.includes("--check") ? check : write;
    process.stdout.write(`${act({ name, folder, file, maximumPages, goVersion, versions })}\n`);
  } catch (error) {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}
