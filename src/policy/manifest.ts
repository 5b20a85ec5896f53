import { z } from "zod";
import { BundleError } from "./bundle-error.ts";

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

const schema = z.strictObject({
  format: z.literal(1),
  name: z.string().min(1).max(200),
  opa: z.string(),
  rules: z.array(z.string()),
  entrypoints: z.array(z.string()).min(1),
  optimize: z.union([z.literal(0), z.literal(1), z.literal(2)]),
  wasm: z.strictObject({ sha256, bytes: z.int().nonnegative() }),
  data: z.strictObject({ sha256 }),
  sources: z.record(z.string(), sha256),
  host_builtins: z.array(z.string()),
  builtins: z.array(z.string()),
  input_paths: z.array(z.array(z.string()).max(64)),
  self_test: z.array(z.strictObject({ input: z.record(z.string(), z.json()), allow: z.boolean() })),
});

/** `manifest.json` of a built bundle: what `regate policy build` wrote about the module, checked against the module at load. */
export type Manifest = z.output<typeof schema>;

const opaSchema = z.looseObject({
  wasm: z.array(z.looseObject({ entrypoint: z.string(), module: z.string().optional() })).optional(),
});

/** OPA's `.manifest`, as far as this engine uses it (reference/opa-wasm.md §8). */
export type OpaManifest = z.output<typeof opaSchema>;

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Parses `manifest.json` strictly: an unknown key or format is refused, not ignored.
 * @param bytes file content
 * @throws {BundleError} `bundle.manifest`
 */
export function parseManifest(bytes: Uint8Array): Manifest {
  const parsed = schema.safeParse(parseJson(bytes, "manifest.json"));
  if (parsed.success) return parsed.data;
  throw new BundleError("bundle.manifest", `\`manifest.json\` is malformed at \`${firstPath(parsed.error)}\``, parsed.error);
}

/**
 * Parses OPA's `.manifest`; keys that this engine does not use are OPA's own business.
 * @param bytes file content
 * @throws {BundleError} `bundle.manifest`
 */
export function parseOpaManifest(bytes: Uint8Array): OpaManifest {
  const parsed = opaSchema.safeParse(parseJson(bytes, ".manifest"));
  if (parsed.success) return parsed.data;
  throw new BundleError("bundle.manifest", `\`.manifest\` is malformed at \`${firstPath(parsed.error)}\``, parsed.error);
}

function parseJson(bytes: Uint8Array, name: string): unknown {
  try {
    return JSON.parse(decoder.decode(bytes));
  } catch (error) {
    throw new BundleError("bundle.manifest", `\`${name}\` is not JSON`, error);
  }
}

function firstPath(error: z.ZodError): string {
  return error.issues[0]?.path.map(String).join(".") || "its root";
}

/** What the module itself says, to hold a manifest against. */
interface ModuleSays {
  readonly entrypoints: ReadonlyMap<string, number>;
  readonly builtins: ReadonlyMap<string, number>;
}

/**
 * Refuses a manifest that contradicts its module: every entrypoint must exist, and the host builtins must be the module's.
 * @throws {BundleError} `bundle.entrypoint`, `bundle.manifest`
 */
export function checkManifest(manifest: Manifest, module: ModuleSays): void {
  requireEntrypoints(manifest.entrypoints, module.entrypoints);
  const [listed, used] = [new Set(manifest.host_builtins), module.builtins];
  const other = [...listed].find((name) => !used.has(name)) ?? [...used.keys()].find((name) => !listed.has(name));
  if (other !== undefined) throw new BundleError("bundle.manifest", `\`manifest.json\` and module disagree about the builtin \`${other}\``);
}

/**
 * Refuses an OPA manifest that names another module or an entrypoint that is not there (reference/opa-wasm.md §8).
 * @throws {BundleError} `bundle.manifest`, `bundle.entrypoint`
 */
export function checkOpaManifest(manifest: OpaManifest, entrypoints: ReadonlyMap<string, number>): void {
  const items = manifest.wasm ?? [];
  const foreign = items.find(({ module }) => module !== undefined && module.replace(/^\//, "") !== "policy.wasm");
  if (foreign !== undefined)
    throw new BundleError("bundle.manifest", `\`.manifest\` names the module \`${foreign.module}\`, which is not read`);
  requireEntrypoints(
    items.map(({ entrypoint }) => entrypoint),
    entrypoints,
  );
}

function requireEntrypoints(names: readonly string[], entrypoints: ReadonlyMap<string, number>): void {
  const missing = names.find((name) => !entrypoints.has(name));
  if (missing !== undefined)
    throw new BundleError("bundle.entrypoint", `module has no entrypoint \`${missing}\`, which the manifest lists`);
}
