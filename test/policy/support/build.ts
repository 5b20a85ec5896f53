import { gunzipSync, gzipSync } from "node:zlib";
import { openToolchain, type Toolchain } from "../../../src/rego/toolchain.ts";
import { readTar } from "../../../src/policy/tar.ts";
import { writeTar } from "./tar.ts";

/** A bundle to build for a test: Rego text by file name, data, entrypoints. */
export interface Source {
  readonly rego: string;
  /** A second module. */
  readonly more?: string;
  readonly data?: object;
  readonly entrypoints?: readonly string[];
  readonly print?: boolean;
}

let toolchain: Toolchain | undefined;

/** Builds an OPA bundle (tar.gz) from Rego text with OPA's own compiler, as `opa build -t wasm --prune-unused` would. */
export async function buildBundle(source: Source): Promise<Uint8Array> {
  toolchain ??= openToolchain({ limitMs: 600_000 });
  const files = new Map([
    ["policy.rego", source.rego],
    ...(source.more === undefined ? [] : ([["more.rego", source.more]] as const)),
    ["data.json", JSON.stringify(source.data ?? {})],
  ]);
  const built = await toolchain.build({
    files,
    entrypoints: source.entrypoints ?? ["gate/decision"],
    target: "wasm",
    wasmIncludePrint: source.print ?? false,
  });
  if (!built.ok) throw new Error(`fixture does not build: ${JSON.stringify(built.errors)}`);
  return built.value.archive;
}

/** A policy whose decision is one Rego expression. */
export function decisionOf(expression: string, more = ""): Source {
  return { rego: `package gate\ndecision := ${expression}\n${more}\n` };
}

/** Files of a bundle, to change some and pack them again with `repack`. */
export function unpack(archive: Uint8Array): Map<string, Uint8Array> {
  return new Map(readTar(gunzipSync(archive)));
}

/** Packs files as a bundle. */
export function repack(files: ReadonlyMap<string, Uint8Array | string>): Uint8Array {
  return gzipSync(writeTar(Array.from(files, ([name, content]) => ({ name, content }))));
}

/** Ends the compiler; call it in `afterAll`. */
export async function closeBuilds(): Promise<void> {
  await toolchain?.close();
  toolchain = undefined;
}
