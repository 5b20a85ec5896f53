import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { readArchive } from "../../src/policy/archive.ts";
import { BundleError, type BundleErrorCode } from "../../src/policy/bundle-error.ts";
import { repack } from "./support/build.ts";
import { writeTar } from "./support/tar.ts";

const FILES = { "/policy.wasm": "wasm", "/data.json": "{}" };
const pack = (files: Readonly<Record<string, string>>) => repack(new Map(Object.entries({ ...FILES, ...files })));
const text = (bytes: Uint8Array | undefined) => (bytes === undefined ? undefined : Buffer.from(bytes).toString("utf8"));

describe("readArchive", () => {
  it("takes the engine's files and ignores others", () => {
    const files = readArchive(
      pack({
        "/.manifest": "{}",
        "/manifest.json": "own",
        "/policy/a.rego": "package a",
        "/plan.json": "{}",
        "/README.md": "x",
        "/sub/policy.wasm": "other",
      }),
    );
    expect([text(files.wasm), text(files.data), text(files.manifest), text(files.opaManifest)]).toEqual(["wasm", "{}", "own", "{}"]);
  });

  it("reads a stream of several gzip members, which is one file to gzip", () => {
    const tar = writeTar([
      { name: "policy.wasm", content: "w" },
      { name: "data.json", content: "{}" },
    ]);
    expect(text(readArchive(Buffer.concat([gzipSync(tar.subarray(0, 700)), gzipSync(tar.subarray(700))])).data)).toBe("{}");
  });

  const bomb = gzipSync(new Uint8Array(65 * 1024 * 1024));
  const good = pack({});
  const refused: readonly (readonly [string, Uint8Array, BundleErrorCode, string])[] = [
    ["nothing", new Uint8Array(0), "bundle.unreadable", "bundle is not a gzip file"],
    ["a bare module", Buffer.from("\0asm\x01\0\0\0"), "bundle.unreadable", "bundle is not a gzip file"],
    ["a tar without gzip", writeTar([{ name: "data.json" }]), "bundle.unreadable", "bundle is not a gzip file"],
    ["a cut off file", good.subarray(0, good.length - 9), "bundle.unreadable", "bundle is cut off or not a gzip file"],
    ["a changed byte", Buffer.from(good).fill(0x55, 40, 44), "bundle.unreadable", "bundle is cut off or not a gzip file"],
    ["text after the end", Buffer.concat([good, Buffer.from("trailing")]), "bundle.unreadable", "bundle is cut off or not a gzip file"],
    ["zeros after the end", Buffer.concat([good, new Uint8Array(8)]), "bundle.unreadable", "bundle has data after its end"],
    ["a second archive after the end", Buffer.concat([good, good]), "bundle.unreadable", "archive has data after its end"],
    ["a bomb", bomb, "bundle.too_large", "bundle is larger than 67108864 bytes unpacked"],
    ["a large file", new Uint8Array(16 * 1024 * 1024 + 1), "bundle.too_large", "bundle is larger than 16777216 bytes"],
    ["no module", repack(new Map([["data.json", "{}"]])), "bundle.missing", "bundle has no `policy.wasm`"],
    ["no data", repack(new Map([["policy.wasm", "w"]])), "bundle.missing", "bundle has no `data.json`"],
    [
      "a large module",
      pack({ "/policy.wasm": "x".repeat(16 * 1024 * 1024 + 1) }),
      "bundle.too_large",
      "`policy.wasm` is larger than 16777216 bytes",
    ],
    [
      "a large manifest",
      pack({ "/.manifest": "x".repeat(1024 * 1024 + 1) }),
      "bundle.too_large",
      "`.manifest` is larger than 1048576 bytes",
    ],
    ["a patch", pack({ "/patch.json": '{"data":[]}' }), "bundle.unreadable", "delta bundles (`patch.json`) are not accepted"],
    [
      "a signature that nobody can check",
      pack({ "/.signatures.json": "{}" }),
      "bundle.unreadable",
      "bundle is signed, and no verification key is configured",
    ],
    ["a manifest below the root", pack({ "/sub/.manifest": "{}" }), "bundle.manifest", "bundle has a second manifest: `sub/.manifest`"],
    ["data below the root", pack({ "/regate/data.json": "{}" }), "bundle.data", "data outside the root `data.json`: `regate/data.json`"],
    ["data as YAML", pack({ "/data.yaml": "a: 1" }), "bundle.data", "data outside the root `data.json`: `data.yaml`"],
    ["data as yml", pack({ "/gate/data.yml": "a: 1" }), "bundle.data", "data outside the root `data.json`: `gate/data.yml`"],
  ];
  it.each(refused)("refuses %s", (_what, bytes, code, message) => {
    let found: unknown;
    try {
      readArchive(bytes);
    } catch (error) {
      found = error;
    }
    expect(found).toBeInstanceOf(BundleError);
    expect([(found as BundleError).code, (found as BundleError).message]).toEqual([code, message]);
  });
});
