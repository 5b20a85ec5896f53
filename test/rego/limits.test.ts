import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { brotliCompressSync, brotliDecompressSync, constants } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import { compileModule, toolchainFolder } from "../../src/rego/module.ts";
import { LIMITS } from "../../src/rego/requests.ts";
import { openToolchain } from "../../src/rego/toolchain.ts";
import type { Toolchain, ToolchainOptions } from "../../src/rego/toolchain.ts";
import { limitMemory } from "../../src/wasm/memory.ts";
import { createWasi } from "../../src/wasm/wasi.ts";
import { errorsOf, sharedToolchain, SLOW, tree, valueOf } from "./support.ts";

function open(options: ToolchainOptions = {}): Toolchain {
  const toolchain = openToolchain(options);
  onTestFinished(() => toolchain.close());
  return toolchain;
}

/** For the tests that leave the instance whole. */
const shared = sharedToolchain();

const rego = (text: string): ReadonlyMap<string, string> => new Map([["a.rego", text]]);
const GOOD = rego("package a\n\np := 1");
const LOOP = "some i in numbers.range(1, 3000)\n\tsome j in numbers.range(1, 3000)\n\ti * j < 0";

const shipped = (): Buffer => brotliDecompressSync(readFileSync(new URL("opa.wasm.br", toolchainFolder())));

/** A folder with a module and its manifest. */
function moduleFolder(module: Uint8Array, digest = createHash("sha256").update(module).digest("hex")): URL {
  const compressed = brotliCompressSync(module, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } });
  const manifest = { opa: "1.22.4", go: "go1.26.8", module: { sha256: digest, bytes: module.length }, compressed: { file: "opa.wasm.br" } };
  return pathToFileURL(`${tree({ "opa.wasm.br": compressed, "manifest.json": JSON.stringify(manifest) })}/`);
}

describe("memory", () => {
  it("has a maximum of 512 MiB", SLOW, () => {
    const module = compileModule(toolchainFolder());
    const wasi = createWasi({ environ: [], log: () => undefined });
    const { memory } = new WebAssembly.Instance(module, wasi.imports(module)).exports as { memory: WebAssembly.Memory };
    const pages = memory.buffer.byteLength / 65_536;
    expect(() => memory.grow(8193 - pages)).toThrow(RangeError);
    memory.grow(8192 - pages);
    expect(memory.buffer.byteLength).toBe(512 * 1024 * 1024);
  });

  it("discards an instance that runs out of it, and the next call works", SLOW, async () => {
    const toolchain = open({ folder: moduleFolder(limitMemory(shipped(), 800)) });
    const prepared = valueOf(await toolchain.prepare({ files: GOOD, query: "data.a.p" }));
    const large = Array.from({ length: 30_000 }, (_, index) => `p${index} := {"a": [${index}]}`).join("\n");
    expect(errorsOf(await toolchain.check({ files: rego(`package a\n${large}`) }))[0]?.code).toBe("toolchain.memory");
    expect(errorsOf(await toolchain.many(prepared, ["{}"]))[0]?.code).toBe("toolchain.handle");
    expect(valueOf(await toolchain.check({ files: GOOD }))).toEqual({ modules: 1 });
  });
});

describe("a verbose test run", () => {
  it("keeps no events of tests that passed, so that their number does not count", SLOW, async () => {
    const toolchain = open({ folder: moduleFolder(limitMemory(shipped(), 1000)) });
    const tests = Array.from({ length: 60 }, (_, index) => `test_${index} if count([x | some x in numbers.range(1, 300); x < 0]) == 0`);
    const files = rego(`package a\n${tests.join("\n")}`);
    expect(valueOf(await toolchain.test({ files, verbose: true })).text).toMatch(/\nPASS: 60\/60\n$/u);
    expect(errorsOf(await toolchain.test({ files, verbose: true, json: true }))[0]?.code).toBe("toolchain.memory");
  });
});

describe("time", () => {
  it("ends the worker at the wall clock limit, and the next call works", SLOW, async () => {
    const toolchain = open();
    expect(errorsOf(await toolchain.check({ files: GOOD, limitMs: 1 }))).toEqual([
      { code: "toolchain.timeout", message: "no answer within 1 ms" },
    ]);
    expect(valueOf(await toolchain.check({ files: GOOD }))).toEqual({ modules: 1 });
  });

  it("cancels an evaluation and one input of many at their own limit", SLOW, async () => {
    const toolchain = shared;
    const query = { files: rego(`package a\n\np if {\n\tinput.go\n\t${LOOP}\n}`), query: "data.a.p" };
    expect(errorsOf(await toolchain.evaluate({ ...query, input: '{"go": true}', timeoutMs: 2_000 }))[0]?.code).toBe("eval_cancel_error");
    expect(valueOf(await toolchain.evaluate({ ...query, input: "{}", timeoutMs: 2_000 })).result).toEqual([]);
  });

  it("ends a test at its limit and runs the others", SLOW, async () => {
    const toolchain = shared;
    const files = rego(`package a\n\ntest_long if {\n\t${LOOP}\n}\n\ntest_short if 1 == 1`);
    const { tests } = valueOf(await toolchain.test({ files, timeoutMs: 2_000, coverage: true }));
    expect(tests.map(({ status, error }) => [status, error?.[0]?.code])).toEqual([
      ["error", "eval_cancel_error"],
      ["pass", undefined],
    ]);
  });
});

describe("depth", () => {
  it.each([
    ["an input 9,999 deep", 9_999, undefined],
    ["an input 20,000 deep", 20_000, "error"],
  ])("%s ends in an answer", SLOW, async (_name, depth, code) => {
    const toolchain = shared;
    const outcome = await toolchain.evaluate({
      files: rego("package a\n\np := json.marshal(input)"),
      query: "data.a.p",
      input: "[".repeat(depth) + "]".repeat(depth),
    });
    expect(outcome.ok ? undefined : outcome.errors[0]?.code).toBe(code);
  });

  it("a literal 100,000 deep is a parse error, a chain of 1,000 rules is fine", SLOW, async () => {
    const toolchain = shared;
    expect(
      errorsOf(await toolchain.check({ files: rego(`package a\n\np := ${"[".repeat(100_000)}${"]".repeat(100_000)}`) }))[0]?.code,
    ).toBe("rego_parse_error");
    const chain = Array.from({ length: 1000 }, (_, index) => `p${index} if p${index + 1}`).join("\n");
    const files = rego(`package a\n\n${chain}\np1000 if input.x`);
    expect(valueOf(await toolchain.evaluate({ files, query: "data.a.p0", input: '{"x": 1}' })).result).toHaveLength(1);
  });
});

describe("size", () => {
  const big = "#".repeat(LIMITS.regoFile + 1);
  it.each([
    ["a Rego file", new Map([["a.rego", big]]), `\`a.rego\` has ${LIMITS.regoFile + 1} bytes, more than ${LIMITS.regoFile}`],
    [
      "all Rego files",
      new Map(["a.rego", "b.rego", "c.rego"].map((name) => [name, big.slice(1)])),
      `the Rego files have ${3 * LIMITS.regoFile} bytes, more than ${LIMITS.rego}`,
    ],
    ["data", new Map([["a.json", "#".repeat(LIMITS.data + 1)]]), `the data files have ${LIMITS.data + 1} bytes, more than ${LIMITS.data}`],
  ])("%s over the bound is refused before anything runs", async (_name, files, message) => {
    const toolchain = open({ folder: new URL("file:///nowhere/") });
    expect(await toolchain.check({ files })).toEqual({ ok: false, errors: [{ code: "toolchain.too_large", message }], text: message });
  });
});

describe("the module", () => {
  it("is not compiled when its digest is another one", SLOW, async () => {
    const toolchain = open({ folder: moduleFolder(Buffer.from("no module"), "0".repeat(64)) });
    const [error] = errorsOf(await toolchain.version());
    expect(error?.code).toBe("toolchain.module");
    expect(error?.message).toContain(`expected ${"0".repeat(64)}`);
  });

  it("is an error when it is missing", SLOW, async () => {
    expect(errorsOf(await open({ folder: new URL("file:///nowhere/") }).version())[0]?.code).toBe("toolchain.module");
  });

  it("may import nothing but WASI", () => {
    const module = new WebAssembly.Module(Buffer.from("0061736d01000000010401600000020701016501660000", "hex"));
    expect(() => createWasi({ environ: [], log: () => undefined }).imports(module)).toThrow("module: unexpected import `e.f`");
  });
});

describe("the world outside", () => {
  it.each([
    ["http.send", 'http.send({"url": "http://127.0.0.1:9/", "method": "get", "raise_error": true})', "eval_builtin_error"],
    ["a name server", 'net.lookup_ip_addr("localhost")', "eval_builtin_error"],
  ])("%s is not there", SLOW, async (_name, call, code) => {
    const outcome = await shared.evaluate({ files: rego(`package a\n\np := ${call}`), query: "data.a.p", strictBuiltinErrors: true });
    expect(errorsOf(outcome)[0]?.code).toBe(code);
  });

  it("shows no environment and no files", SLOW, async () => {
    const toolchain = shared;
    const { result } = valueOf(await toolchain.evaluate({ query: "opa.runtime()" }));
    expect(result[0]?.expressions[0]?.value).toEqual({});
    expect(errorsOf(await toolchain.check({ files: new Map(), paths: ["/etc/passwd"] }))[0]?.message).toContain(
      "/etc/passwd: file does not exist",
    );
    expect(
      errorsOf(await toolchain.build({ files: GOOD, entrypoints: ["a/p"], bundle: true, key: "/etc/passwd", algorithm: "RS256" })),
    ).toHaveLength(1);
  });
});

describe("closing", () => {
  it("fails later calls, and the one that runs", SLOW, async () => {
    const toolchain = openToolchain();
    const running = toolchain.version();
    await new Promise((resolve) => setImmediate(resolve));
    await toolchain.close();
    expect(errorsOf(await running)[0]?.code).toBe("toolchain.closed");
    expect(errorsOf(await toolchain.version())).toEqual([{ code: "toolchain.closed", message: "the toolchain is closed" }]);
    await toolchain.close();
  });
});
