import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { BundleError } from "../../src/policy/bundle-error.ts";
import { bundleDigest, sha256Hex } from "../../src/policy/digest.ts";
import { loadEngine, type LoadOptions } from "../../src/policy/load.ts";
import { buildBundle, closeBuilds, repack, unpack } from "./support/build.ts";

const SLOW = 180_000;
const REGO = `package gate
import data.regate.tools
default decision := {"allow": false, "reasons": [{"code": "t.no", "rule": "t", "message": "not a tool"}], "effect": "none", "confirm": "none"}
decision := {"allow": true, "reasons": [], "effect": "none", "confirm": "none"} if input.command in tools
listing := decision
`;
const ENTRYPOINTS = ["gate/decision", "gate/listing"];
let archive: Uint8Array;
let files: Map<string, Uint8Array>;
const folders: string[] = [];

beforeAll(async () => {
  archive = await buildBundle({ rego: REGO, data: { regate: { tools: ["ls"] } }, entrypoints: ENTRYPOINTS });
  files = unpack(archive);
}, SLOW);
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});
afterAll(closeBuilds);

const part = (name: string) => files.get(name) ?? new Uint8Array();

/** A manifest that fits the bundle, with some fields changed. */
function manifestOf(change: object = {}): string {
  const [wasm, data] = [part("policy.wasm"), part("data.json")];
  return JSON.stringify({
    format: 1,
    name: "tiny",
    opa: "1.22.4",
    rules: [],
    entrypoints: ENTRYPOINTS,
    optimize: 0,
    wasm: { sha256: sha256Hex(wasm), bytes: wasm.length },
    data: { sha256: sha256Hex(data) },
    sources: {},
    host_builtins: [],
    builtins: ["internal.member_2"],
    input_paths: [["command"]],
    self_test: [{ input: { command: "ls" }, allow: true }],
    ...change,
  });
}

function folderWith(content: Readonly<Record<string, string | Uint8Array>>): string {
  const folder = mkdtempSync(join(tmpdir(), "regate-bundle-"));
  folders.push(folder);
  for (const [name, value] of Object.entries(content)) writeFileSync(join(folder, name), value);
  return folder;
}
const wholeFolder = (change: Readonly<Record<string, string | Uint8Array>> = {}) =>
  folderWith({ "policy.wasm": part("policy.wasm"), "data.json": part("data.json"), "manifest.json": manifestOf(), ...change });

async function refusal(source: string | Uint8Array, options?: LoadOptions): Promise<readonly string[]> {
  try {
    (await loadEngine(source, options)).close();
    return ["loaded"];
  } catch (error) {
    return [(error as BundleError).code, (error as BundleError).message];
  }
}

describe("loadEngine", { timeout: SLOW }, () => {
  it("loads a folder, also when it is reached through a link", async () => {
    const folder = wholeFolder();
    symlinkSync(folder, `${folder}-link`);
    folders.push(`${folder}-link`);
    for (const path of [folder, `${folder}-link`]) {
      const engine = await loadEngine(path);
      expect([engine.name, engine.data]).toEqual(["tiny", { regate: { tools: ["ls"] } }]);
      expect([engine.decide({ command: "ls" }).allow, engine.decide({ command: "rm" }).allow]).toEqual([true, false]);
      expect(engine.decide({ command: "ls" }, "gate/listing").allow).toBe(true);
    }
  });

  it("loads what `opa build` wrote, from a file or from bytes, and sends the whole input", async () => {
    const file = join(folderWith({ "policy-1.2.tar.gz": archive }), "policy-1.2.tar.gz");
    const [one, two] = [await loadEngine(file), await loadEngine(archive)];
    expect([one.name, two.name]).toEqual(["policy-1.2", "bundle"]);
    expect(one.digest).toBe(two.digest);
    expect(one.decide({ command: "ls", deep: Array.from({ length: 60 }).reduce<unknown>((inner) => [inner], 1) }).allow).toBe(true);
  });

  it("gives the digest over module and data that the design fixes", async () => {
    const engine = await loadEngine(archive);
    const text = `${sha256Hex(part("policy.wasm"))}\n${sha256Hex(part("data.json"))}\n`;
    expect(engine.digest).toBe(`sha256:${sha256Hex(text)}`);
    expect(engine.digest).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(bundleDigest("a", "b")).toBe("sha256:911169ddaaf146aff539f58c26c489af3b892dff0fe283c1c264c65ae5aa59a2");
  });

  it("takes a packaged name before a folder of that name", async () => {
    const here = process.cwd();
    const folder = folderWith({});
    mkdirSync(join(folder, "default"));
    process.chdir(folder);
    try {
      const engine = await loadEngine("default");
      expect([engine.name, Object.keys(engine.data)]).toEqual(["default", ["regate"]]);
    } finally {
      process.chdir(here);
    }
  });

  it.each(["default", "ai-agent", "agent-session", "identity-gate"])(
    "loads the packaged bundle %s and denies the empty input",
    async (name) => {
      const engine = await loadEngine(name);
      expect([engine.name, engine.decide({}).allow]).toEqual([name, false]);
    },
  );

  it("refuses an option that does not exist: a misspelt deadline would be none", async () => {
    await expect(loadEngine("default", { deadlineMS: 100 } as object)).rejects.toThrow(
      new TypeError("`deadlineMS` is not an option of loadEngine"),
    );
  });

  it("keeps a pinned digest, naming both when another one comes (trials L08)", async () => {
    const { digest } = await loadEngine(archive);
    const pinned = `sha256:${"0".repeat(64)}`;
    expect(await refusal(archive, { expectDigest: digest })).toEqual(["loaded"]);
    expect(await refusal(archive, { expectDigest: pinned })).toEqual([
      "bundle.digest",
      `bundle has the digest ${digest}, but ${pinned} is pinned`,
    ]);
  });

  const missing: readonly (readonly [string, () => string, readonly [string, string]])[] = [
    ["a name that nothing has", () => "no-such-bundle", ["bundle.missing", "no packaged bundle, folder or file of that name"]],
    [
      "a path below a file",
      () => join(folderWith({ a: "" }), "a", "b"),
      ["bundle.missing", "no packaged bundle, folder or file of that name"],
    ],
    ["no name", () => "", ["bundle.missing", "the bundle has no name"]],
    ["a name with a NUL", () => "a\0b", ["bundle.missing", "the bundle has no name"]],
    ["a device", () => "/dev/null", ["bundle.unreadable", "not a folder and not a regular file"]],
    ["an empty folder", () => folderWith({}), ["bundle.missing", "bundle manifest missing: `manifest.json`"]],
    ["a text file", () => join(folderWith({ x: "text" }), "x"), ["bundle.unreadable", "bundle is not a gzip file"]],
  ];
  it.each(missing)("refuses %s", async (_what, source, want) => {
    expect(await refusal(source())).toEqual(want);
  });

  it("refuses a folder that lacks a file (trials W08)", async () => {
    const without = (name: string) => {
      const folder = wholeFolder();
      rmSync(join(folder, name));
      return folder;
    };
    expect(await refusal(without("data.json"))).toEqual(["bundle.missing", "bundle data missing (manifest lists data.json)"]);
    expect(await refusal(without("policy.wasm"))).toEqual(["bundle.missing", "bundle module missing: `policy.wasm`"]);
    expect(await refusal(without("manifest.json"))).toEqual(["bundle.missing", "bundle manifest missing: `manifest.json`"]);
  });

  it("reads regular files only", async () => {
    const folder = wholeFolder();
    rmSync(join(folder, "data.json"));
    mkdirSync(join(folder, "data.json"));
    expect(await refusal(folder)).toEqual(["bundle.unreadable", "`data.json` is not a regular file"]);
    rmSync(join(folder, "data.json"), { recursive: true });
    symlinkSync("/dev/zero", join(folder, "data.json"));
    expect(await refusal(folder)).toEqual(["bundle.unreadable", "`data.json` is a symbolic link"]);
  });

  it("refuses files that are too large", async () => {
    const large = "x".repeat(16 * 1024 * 1024 + 1);
    expect(await refusal(wholeFolder({ "data.json": large }))).toEqual(["bundle.too_large", "`data.json` is larger than 16777216 bytes"]);
  });

  it("refuses a module or data that are not the manifest's", async () => {
    const changed = Buffer.from(part("policy.wasm")).fill(0, 200, 201);
    const [wasm, data] = [
      "policy.wasm is not the one that manifest.json describes (digest mismatch)",
      "data.json is not the one that manifest.json describes (digest mismatch)",
    ];
    expect(await refusal(wholeFolder({ "policy.wasm": changed }))).toEqual(["bundle.digest", wasm]);
    expect(await refusal(wholeFolder({ "policy.wasm": part("policy.wasm").subarray(0, 500) }))).toEqual(["bundle.digest", wasm]);
    expect(await refusal(wholeFolder({ "data.json": '{"regate":{"tools":["rm"]}}' }))).toEqual(["bundle.digest", data]);
    const size = { sha256: sha256Hex(part("policy.wasm")), bytes: 1 };
    expect(await refusal(wholeFolder({ "manifest.json": manifestOf({ wasm: size }) }))).toEqual(["bundle.digest", wasm]);
  });

  const manifests: readonly (readonly [string, string | object, readonly [string, string]])[] = [
    ["no JSON", "{", ["bundle.manifest", "`manifest.json` is not JSON"]],
    ["an array", "[]", ["bundle.manifest", "`manifest.json` is malformed at `its root`"]],
    ["another format", { format: 2 }, ["bundle.manifest", "`manifest.json` is malformed at `format`"]],
    ["an unknown key", { extra: 1 }, ["bundle.manifest", "`manifest.json` is malformed at `its root`"]],
    ["a digest in capitals", { data: { sha256: "A".repeat(64) } }, ["bundle.manifest", "`manifest.json` is malformed at `data.sha256`"]],
    ["input paths that are text", { input_paths: ["agent"] }, ["bundle.manifest", "`manifest.json` is malformed at `input_paths.0`"]],
    [
      "an entrypoint that is not there",
      { entrypoints: ["gate/decision", "gate/other"] },
      ["bundle.entrypoint", "module has no entrypoint `gate/other`, which the manifest lists"],
    ],
    [
      "a host builtin that is not used",
      { host_builtins: ["sprintf"] },
      ["bundle.manifest", "`manifest.json` and module disagree about the builtin `sprintf`"],
    ],
    [
      "a builtin that never returns",
      { builtins: ["replace"] },
      ["bundle.builtin", "builtin `replace` is wrong in WASM: never returns for an empty pattern; `strings.replace_n` is right"],
    ],
    [
      "a self-test that is denied",
      { self_test: [{ input: { command: "rm" }, allow: true }] },
      ["bundle.self_test", "self-test 1 of the manifest is denied, and must not be"],
    ],
    [
      "a self-test that is allowed",
      { self_test: [{ input: { command: "ls" }, allow: false }] },
      ["bundle.self_test", "self-test 1 of the manifest is allowed, and must not be"],
    ],
    [
      "paths that leave out what the policy reads",
      { input_paths: [] },
      ["bundle.self_test", "self-test 1 of the manifest is denied, and must not be"],
    ],
  ];
  it.each(manifests)("refuses a manifest with %s", async (_what, change, want) => {
    const text = typeof change === "string" ? change : manifestOf(change);
    expect(await refusal(wholeFolder({ "manifest.json": text }))).toEqual(want);
    expect(await refusal(repack(new Map<string, string | Uint8Array>([...files, ["manifest.json", text]])))).toEqual(want);
  });

  it("refuses an OPA manifest that contradicts the module", async () => {
    const withManifest = (manifest: object) =>
      repack(new Map<string, string | Uint8Array>([...files, [".manifest", JSON.stringify(manifest)]]));
    expect(await refusal(withManifest({ wasm: [{ entrypoint: "gate/other", module: "/policy.wasm" }] }))).toEqual([
      "bundle.entrypoint",
      "module has no entrypoint `gate/other`, which the manifest lists",
    ]);
    expect(await refusal(withManifest({ wasm: [{ entrypoint: "gate/decision", module: "/other.wasm" }] }))).toEqual([
      "bundle.manifest",
      "`.manifest` names the module `/other.wasm`, which is not read",
    ]);
    expect(await refusal(withManifest({ wasm: "all" }))).toEqual(["bundle.manifest", "`.manifest` is malformed at `wasm`"]);
  });

  it("refuses a bundle without the entrypoint that calls are decided by", async () => {
    const other = await buildBundle({ rego: "package gate\nother := {}\n", entrypoints: ["gate/other"] });
    expect(await refusal(other)).toEqual(["bundle.entrypoint", "module has no entrypoint `gate/decision`"]);
  });

  it("refuses data that poses as a rule (trials W04)", async () => {
    const evil = { gate: { rules: { evil: { allow: true } } } };
    const rego = 'package gate\ndefault decision := {"allow": false}\ndecision := {"allow": true} if data.gate.rules[_].allow\n';
    const more = 'package gate.rules.none\nallow if input.x == "never"\n';
    const bundle = await buildBundle({ rego, more, data: evil });
    expect(await refusal(bundle)).toEqual(["bundle.data", "data overlaps package gate.rules"]);
  });

  it("refuses a policy that allows the empty input", async () => {
    const open = await buildBundle({
      rego: 'package gate\ndecision := {"allow": true, "reasons": [], "effect": "none", "confirm": "none"}\n',
    });
    expect(await refusal(open)).toEqual(["bundle.self_test", "the policy allows the empty input"]);
  });

  it("says in one line what is wrong, without the machine's paths", async () => {
    const folder = wholeFolder({ "manifest.json": "{" });
    const [, message = ""] = await refusal(folder);
    expect(message).not.toContain("\n");
    expect(message).not.toContain(folder);
  });
});
