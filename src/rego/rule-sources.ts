import { lstat, readFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { z } from "zod";
import { sha256 } from "./bundle-sources.ts";

/** Rego from which a loaded bundle was built. */
export interface RuleSources {
  /** Names of the packages below `gate.rules`. */
  readonly rules: readonly string[];
  /** Repository-relative path → text. */
  readonly files: ReadonlyMap<string, string>;
}

/** The sources, or why they cannot be shown. */
export type FoundSources = { readonly ok: true; readonly sources: RuleSources } | { readonly ok: false; readonly problem: string };

const MAX_BYTES = 4 * 1024 * 1024;
/** What a manifest may name: nothing above or outside the tree. */
const SOURCE_PATH = /^policy\/(?:[A-Za-z0-9_-]+\/)*[A-Za-z0-9_.-]+\.rego$/;

/**
 * Finds the Rego of a built bundle: in the tree two folders above it, where `regate policy build` read it, each file with the digest of the
 * manifest. A folder that was copied elsewhere works without them, but has no conditions to show (design §1).
 * @param bundle folder of policy.wasm, data.json and manifest.json
 * @param isLoaded tells by the digests of module and data whether this is the bundle that decides
 */
export async function readRuleSources(bundle: string, isLoaded: (wasm: string, data: string) => boolean): Promise<FoundSources> {
  const manifest = await readManifest(bundle);
  if (manifest === undefined) return missing("the bundle is no folder with a manifest.json");
  if (!isLoaded(manifest.wasm.sha256, manifest.data.sha256)) return missing("the bundle on disk is not the one that was loaded");
  const root = dirname(dirname(resolve(bundle)));
  const files = new Map<string, string>();
  for (const [path, expected] of Object.entries(manifest.sources)) {
    if (!SOURCE_PATH.test(path)) continue;
    const text = await readSource(join(root, path));
    if (text === undefined) return missing(`\`${path}\`, from which the bundle was built, is not there`);
    if (sha256(text) !== expected) return missing(`\`${path}\` is not the text from which the bundle was built`);
    files.set(path, text);
  }
  return files.size === 0 ? missing("the manifest names no sources") : { ok: true, sources: { rules: manifest.rules, files } };
}

function missing(problem: string): FoundSources {
  return { ok: false, problem };
}

const digest = z.string().regex(/^[0-9a-f]{64}$/);
const named = z.looseObject({
  rules: z.array(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/)),
  wasm: z.looseObject({ sha256: digest }),
  data: z.looseObject({ sha256: digest }),
  sources: z.record(z.string(), digest),
});

/** The manifest, as far as it is looked at here; the engine has checked it at load. */
async function readManifest(bundle: string): Promise<z.infer<typeof named> | undefined> {
  const text = await readSource(join(bundle, "manifest.json"));
  try {
    return named.safeParse(JSON.parse(text ?? "")).data;
  } catch {
    return undefined;
  }
}

async function readSource(path: string): Promise<string | undefined> {
  const facts = await lstat(path).catch(() => undefined);
  return facts?.isFile() === true && facts.size <= MAX_BYTES ? readFile(path, "utf8") : undefined;
}
