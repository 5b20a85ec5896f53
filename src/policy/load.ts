import { admitModule, checkBuiltins, type AdmittedModule } from "./admission.ts";
import { checkData } from "./bundle-data.ts";
import { BundleError } from "./bundle-error.ts";
import type { BundleFiles } from "./bundle-files.ts";
import { startDeadlineEvaluator } from "./deadline-evaluator.ts";
import type { Dialect } from "./dialects.ts";
import { bundleDigest, sha256Hex } from "./digest.ts";
import type { Engine } from "./engine.ts";
import { inProcessEvaluator, type Evaluator } from "./evaluator.ts";
import type { PolicyImage } from "./instance.ts";
import { INPUT_LIMITS } from "./limits.ts";
import { findBundle } from "./locate.ts";
import { checkManifest, checkOpaManifest, parseManifest, parseOpaManifest, type Manifest } from "./manifest.ts";
import { createEngine, type EngineParts } from "./wasm-engine.ts";

/** Options of `loadEngine`; all of them optional. */
export interface LoadOptions {
  /** Milliseconds that one evaluation may take; the policy then runs in a worker thread. Without it a policy that loops blocks the caller. */
  readonly deadlineMs?: number;
  /** How the policy's answers are to be read; `regate` unless given. */
  readonly dialect?: Dialect;
  /** Largest input in UTF-8 bytes, of the part that is sent to the policy. */
  readonly maxInputBytes?: number;
  /** `read` (unless given) checks what the policy reads; `whole` also checks the rest of each input against the same bounds. */
  readonly check?: "read" | "whole";
  /** The digest that the bundle must have, `sha256:…`. */
  readonly expectDigest?: string;
  /** Told of everything that went wrong in an evaluation, for the operator's eyes; the decision itself only says `policy.error`. */
  readonly onFault?: (fault: Error) => void;
}

const OPTION_NAMES: ReadonlySet<string> = new Set<keyof LoadOptions>([
  "deadlineMs",
  "dialect",
  "maxInputBytes",
  "check",
  "expectDigest",
  "onFault",
]);

/** Entrypoint that every bundle must have; `gate/listing` is asked for only by what lists tools. */
const REQUIRED = "gate/decision";

/**
 * Finds, checks and loads a policy bundle (design §13). Whatever does not verify is an error: there is no engine without a policy.
 * @param source packaged bundle name, path of a folder or of an OPA bundle tar.gz, or the bytes of one
 * @throws {BundleError} with a `bundle.*` code and one line that says what is wrong; a RangeError for a deadline that is none; a TypeError for an unknown option
 */
export async function loadEngine(source: string | Uint8Array, options: LoadOptions = {}): Promise<Engine> {
  const unknown = Object.keys(options).find((name) => !OPTION_NAMES.has(name));
  if (unknown !== undefined) throw new TypeError(`\`${unknown}\` is not an option of loadEngine`);
  const found = await findBundle(source);
  const digests = { wasm: sha256Hex(found.files.wasm), data: sha256Hex(found.files.data) };
  const digest = bundleDigest(digests.wasm, digests.data);
  checkPin(digest, options.expectDigest);
  const manifest = found.files.manifest === undefined ? undefined : parseManifest(found.files.manifest);
  if (manifest !== undefined) checkDigests(manifest, digests, found.files);
  const admitted = await admitModule(found.files.wasm, found.files.data);
  const data = checkData(found.files.data, admitted.facts.rulePaths);
  checkAgainstModule(found.files, manifest, admitted);
  const parts = {
    name: manifest?.name ?? found.name,
    digest,
    data,
    entrypoints: admitted.instance.entrypoints,
    inputPaths: manifest?.input_paths ?? [[]],
    dialect: options.dialect ?? "regate",
    maxInputBytes: options.maxInputBytes ?? INPUT_LIMITS.bytes,
    check: options.check ?? "read",
    onFault: options.onFault,
  } as const;
  return testedEngine(parts, { admitted, manifest, deadlineMs: options.deadlineMs });
}

async function testedEngine(
  parts: Omit<EngineParts, "evaluator">,
  load: { admitted: AdmittedModule; manifest: Manifest | undefined; deadlineMs: number | undefined },
): Promise<Engine> {
  const { image, instance } = load.admitted;
  const evaluator = load.deadlineMs === undefined ? inProcessEvaluator(image, instance) : await guardedEvaluator(image, load.deadlineMs);
  const engine = createEngine({ ...parts, evaluator });
  try {
    selfTest(engine, load.manifest?.self_test ?? []);
  } catch (error) {
    engine.close();
    throw error;
  }
  return engine;
}

async function guardedEvaluator(image: PolicyImage, deadlineMs: number): Promise<Evaluator> {
  try {
    return await startDeadlineEvaluator(image, deadlineMs);
  } catch (error) {
    if (error instanceof RangeError) throw error;
    throw new BundleError("bundle.module", "the policy's worker thread does not start", error);
  }
}

/** The empty input is denied by every policy that may be used; the manifest's rows say what else must hold (trials W08: one allow needs data). */
function selfTest(engine: Engine, rows: Manifest["self_test"]): void {
  if (engine.decide({}).allow) throw new BundleError("bundle.self_test", "the policy allows the empty input");
  for (const [index, { input, allow }] of rows.entries()) {
    if (engine.decide(input).allow !== allow) {
      throw new BundleError(
        "bundle.self_test",
        `self-test ${index + 1} of the manifest is ${allow ? "denied" : "allowed"}, and must not be`,
      );
    }
  }
}

function checkAgainstModule(files: BundleFiles, manifest: Manifest | undefined, admitted: AdmittedModule): void {
  const { entrypoints, builtins } = admitted.instance;
  if (files.opaManifest !== undefined) checkOpaManifest(parseOpaManifest(files.opaManifest), entrypoints);
  if (manifest !== undefined) {
    checkBuiltins(manifest.builtins);
    checkManifest(manifest, { entrypoints, builtins });
  }
  if (!entrypoints.has(REQUIRED)) throw new BundleError("bundle.entrypoint", `module has no entrypoint \`${REQUIRED}\``);
}

function checkDigests(manifest: Manifest, digests: { wasm: string; data: string }, files: BundleFiles): void {
  if (manifest.wasm.sha256 !== digests.wasm || manifest.wasm.bytes !== files.wasm.length) {
    throw new BundleError("bundle.digest", "policy.wasm is not the one that manifest.json describes (digest mismatch)");
  }
  if (manifest.data.sha256 !== digests.data) {
    throw new BundleError("bundle.digest", "data.json is not the one that manifest.json describes (digest mismatch)");
  }
}

/** With a pinned digest anything else is refused, naming both (trials L08). */
function checkPin(digest: string, expected: string | undefined): void {
  if (expected !== undefined && expected !== digest) {
    throw new BundleError("bundle.digest", `bundle has the digest ${digest}, but ${expected} is pinned`);
  }
}
