import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { brotliCompressSync, constants } from "node:zlib";
import { describe, expect, it } from "vitest";
import { createWasi } from "../../src/wasm/wasi.ts";
import { readShippedModule } from "../../src/wasm/shipped.ts";
import { compileStarlark, starlarkFolder } from "../../src/starlark/module.ts";
import { tree } from "../rego/support.ts";

const WASI =
  "sched_yield proc_exit args_get args_sizes_get clock_time_get environ_get environ_sizes_get fd_write random_get poll_oneoff fd_close fd_read fd_filestat_get fd_write path_filestat_get path_open fd_fdstat_get fd_fdstat_set_flags fd_prestat_get fd_prestat_dir_name".split(
    " ",
  );
const HOST = ["request_size", "request_read", "host_call", "host_reply_read", "result"];

async function memoryOf(memoryMb: number): Promise<WebAssembly.Memory> {
  const module = await compileStarlark(memoryMb);
  const regate = Object.fromEntries(HOST.map((name) => [name, () => 0]));
  const wasi = createWasi({ environ: [], log: () => undefined });
  return (new WebAssembly.Instance(module, wasi.imports(module, { regate })).exports as { memory: WebAssembly.Memory }).memory;
}

describe("the shipped module", () => {
  // A Go upgrade that needs more of its host must be seen.
  it("imports and exports exactly this", async () => {
    const module = await compileStarlark(64);
    expect(WebAssembly.Module.imports(module).map(({ module: from, name, kind }) => [from, name, kind])).toEqual([
      ...WASI.map((name) => ["wasi_snapshot_preview1", name, "function"]),
      ...HOST.map((name) => ["regate", name, "function"]),
    ]);
    expect(WebAssembly.Module.exports(module)).toEqual([
      { name: "_initialize", kind: "function" },
      { name: "eval", kind: "function" },
      { name: "memory", kind: "memory" },
    ]);
  });

  it.each([
    [64, 1024],
    [128, 2048],
  ])("has a memory of %d MiB at most when that is set", async (memoryMb, pages) => {
    const memory = await memoryOf(memoryMb);
    const now = memory.buffer.byteLength / 65_536;
    expect(() => memory.grow(pages + 1 - now)).toThrow(RangeError);
    memory.grow(pages - now);
    expect(memory.buffer.byteLength).toBe(pages * 65_536);
  });

  it("cannot have more than the 128 MiB that it is shipped with", async () => {
    const memory = await memoryOf(1024);
    expect(() => memory.grow(2049 - memory.buffer.byteLength / 65_536)).toThrow(RangeError);
  });

  it("is what its manifest says, from these versions", () => {
    const manifest = JSON.parse(readFileSync(new URL("manifest.json", starlarkFolder()), "utf8"));
    const digest = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
    expect(digest(readShippedModule(starlarkFolder(), "starlark"))).toBe(manifest.module.sha256);
    expect(digest(readFileSync(new URL("starlark.wasm.br", starlarkFolder())))).toBe(manifest.compressed.sha256);
    expect(manifest).toMatchObject({ starlark: "0.0.0-20260630144053-529d8e869a14", go: "go1.26.8", maximum_pages: 2048 });
  });

  it("is not compiled when its digest is another one", async () => {
    const compressed = brotliCompressSync(Buffer.from("no module"), { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } });
    const manifest = { module: { sha256: "0".repeat(64), bytes: 9 }, compressed: { file: "m.br" } };
    const folder = pathToFileURL(`${tree({ "m.br": compressed, "manifest.json": JSON.stringify(manifest) })}/`);
    await expect(compileStarlark(64, folder)).rejects.toThrow(`starlark module has digest`);
  });

  it("is not compiled with less memory than it needs to start", async () => {
    await expect(compileStarlark(1)).rejects.toThrow("more than the maximum of 16");
  });
});
