#!/usr/bin/env node
// Builds the OPA toolchain: Go main → WebAssembly, memory maximum, brotli, manifest, NOTICE (docs/toolchain.md).
//   node toolchain/build.mjs           writes opa.wasm.br, manifest.json and NOTICE beside this file
//   node toolchain/build.mjs --check   builds into a temporary folder and compares digests with what is committed
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, brotliDecompressSync, constants } from "node:zlib";
import { limitMemory } from "./memory.mjs";
import { renderNotice } from "./notice.mjs";

const HERE = dirname(fileURLToPath(import.meta.url));
const GO_VERSION = /^toolchain (go\S+)$/mu.exec(readFileSync(join(HERE, "go.mod"), "utf8"))[1];
const OPA_VERSION = /open-policy-agent\/opa v(\S+)/u.exec(readFileSync(join(HERE, "go.mod"), "utf8"))[1];
const MAXIMUM_PAGES = 8192;
const sha256 = (bytes) => createHash("sha256").update(bytes).digest("hex");

/** Nothing of the caller's Go settings may reach the build: they would change its bytes. */
function goEnvironment() {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(?:GO(?!PROXY$|SUMDB$|MODCACHE$|CACHE$|PATH$|NOSUMDB$|NOSUMCHECK$|PRIVATE$)|CGO_)/u.test(name),
  );
  return {
    ...Object.fromEntries(kept),
    GOOS: "wasip1",
    GOARCH: "wasm",
    GOTOOLCHAIN: GO_VERSION,
    GOFLAGS: "",
    GOWORK: "off",
    GOENV: "off",
    CGO_ENABLED: "0",
  };
}

function go(cwd, ...words) {
  return execFileSync("go", words, {
    cwd,
    env: goEnvironment(),
    encoding: "utf8",
    maxBuffer: 1 << 26,
    stdio: ["ignore", "pipe", "inherit"],
  });
}

/** Compiles a copy of the sources in a fresh folder, so that no path of this machine can end up in the module. */
function compile() {
  const folder = mkdtempSync(join(tmpdir(), "regate-toolchain-"));
  try {
    for (const name of readdirSync(HERE).filter((file) => /^go\.(?:mod|sum)$|\.go$/u.test(file)))
      cpSync(join(HERE, name), join(folder, name));
    const output = join(folder, "opa.wasm");
    go(folder, "build", "-buildmode=c-shared", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", output, ".");
    return {
      module: limitMemory(readFileSync(output), MAXIMUM_PAGES),
      notice: renderNotice({ folder, go, opa: OPA_VERSION, goVersion: GO_VERSION }),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function compress(module) {
  return brotliCompressSync(module, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: 11,
      [constants.BROTLI_PARAM_LGWIN]: 24,
      [constants.BROTLI_PARAM_SIZE_HINT]: module.byteLength,
    },
  });
}

function write() {
  const { module, notice } = compile();
  const compressed = compress(module);
  const manifest = {
    opa: OPA_VERSION,
    go: GO_VERSION,
    maximum_pages: MAXIMUM_PAGES,
    module: { sha256: sha256(module), bytes: module.byteLength },
    compressed: { file: "opa.wasm.br", sha256: sha256(compressed), bytes: compressed.byteLength },
  };
  writeFileSync(join(HERE, "opa.wasm.br"), compressed);
  writeFileSync(join(HERE, "manifest.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  writeFileSync(join(HERE, "NOTICE"), notice);
  return `toolchain: module ${manifest.module.sha256} (${module.byteLength} bytes), compressed ${compressed.byteLength} bytes`;
}

/** Compares a new build, the manifest and the committed file; the compressor may differ between Node versions, so its bytes are only compared with the manifest. */
function check() {
  const manifest = JSON.parse(readFileSync(join(HERE, "manifest.json"), "utf8"));
  const committed = readFileSync(join(HERE, manifest.compressed.file));
  const { module, notice } = compile();
  const facts = [
    ["module built from the sources", sha256(module), manifest.module.sha256],
    ["module in the committed file", sha256(brotliDecompressSync(committed)), manifest.module.sha256],
    ["committed file", sha256(committed), manifest.compressed.sha256],
    ["NOTICE", sha256(notice), sha256(readFileSync(join(HERE, "NOTICE")))],
  ];
  const wrong = facts.filter(([, found, expected]) => found !== expected);
  for (const [what, found, expected] of wrong) process.stderr.write(`toolchain: ${what} is ${found}, not ${expected}\n`);
  if (wrong.length > 0) throw new Error("toolchain is not what its sources build: run `node toolchain/build.mjs`");
  return `toolchain: module ${manifest.module.sha256} is what the sources build`;
}

try {
  process.stdout.write(`${process.argv.includes("--check") ? check() : write()}\n`);
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
