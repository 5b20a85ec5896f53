import type { JsonObject, JsonValue } from "./json.ts";

/** Files of a request. Paths are as the user gave them, with slashes: OPA embeds them in what it builds. */
export interface FileSet {
  /** Path → text of every file. */
  readonly files: ReadonlyMap<string, string>;
  /** Path → bytes of files that are not text (bundles as tar.gz). */
  readonly binary?: ReadonlyMap<string, Uint8Array>;
  /** Files and folders to load, `data.prefix:path` too; every file when absent. */
  readonly paths?: readonly string[];
  /** Base name patterns to leave out below `paths`. */
  readonly ignore?: readonly string[];
  /** Each path is a bundle of its own (`-b`). */
  readonly bundle?: boolean;
}

/** What every operation on Rego understands. */
export interface RegoOptions {
  readonly regoVersion?: "v0" | "v1" | "v0v1";
  /** A capabilities document, or the name of an OPA version such as `v1.22.4`; those of this version when absent. */
  readonly capabilities?: JsonObject | string;
  /** Path below the schema folder (`""` for the schema of the input) → text of the JSON schema. */
  readonly schemas?: ReadonlyMap<string, string>;
  readonly strict?: boolean;
  /** Errors after which the compiler stops, 10 when absent. */
  readonly maxErrors?: number;
  /** Wall clock of the whole call in ms; the worker is ended when it is over. */
  readonly limitMs?: number;
}

export interface BuildRequest extends FileSet, RegoOptions {
  /** `package/rule`, in the order of the module's entrypoint numbers; annotated ones are added. */
  readonly entrypoints?: readonly string[];
  readonly optimize?: number;
  readonly target?: "wasm" | "rego" | "plan";
  readonly revision?: string;
  readonly wasmIncludePrint?: boolean;
  /** Signing key: PEM, or a secret for HS algorithms. */
  readonly key?: string;
  readonly algorithm?: string;
}

export interface BuildResult {
  /** OPA's bundle, tar.gz: the bytes of native `opa build`. */
  readonly archive: Uint8Array;
  /** The merged data document as it stands in the archive. */
  readonly data: Uint8Array;
  /** The module, for target wasm. */
  readonly wasm?: Uint8Array;
  /** OPA's `.manifest`. */
  readonly manifest: JsonObject;
}

export interface TestRequest extends FileSet, RegoOptions {
  /** Regular expression (RE2) on `data.package.test_name`. */
  readonly run?: string;
  readonly coverage?: boolean;
  readonly verbose?: boolean;
  readonly varValues?: boolean;
  readonly explain?: "fails" | "full" | "notes" | "debug";
  /** OPA's report as JSON in place of its text; with `verbose`, or `explain`, it has events of every test. */
  readonly json?: boolean;
  /** Time limit of one test in ms, 5,000 when absent. */
  readonly timeoutMs?: number;
}

export interface ParseRequest extends RegoOptions {
  readonly files: ReadonlyMap<string, string>;
  /** Adds `location` to every node. */
  readonly locations?: boolean;
  /** The tree after OPA's compiler: references are whole (`input.…`, `data.…`), imports and aliases are gone. */
  readonly compiled?: boolean;
}

export interface FormatRequest extends RegoOptions {
  readonly files: ReadonlyMap<string, string>;
  readonly dropV0Imports?: boolean;
}

export interface QueryRequest extends Partial<FileSet>, RegoOptions {
  /** A Rego query such as `data.gate.decision`. */
  readonly query: string;
  /** Keys that replace those of the data files. */
  readonly data?: JsonObject;
  readonly strictBuiltinErrors?: boolean;
}

export interface EvaluateRequest extends QueryRequest {
  /** The input as JSON text; undefined input when absent. */
  readonly input?: string;
  readonly explain?: "fails" | "full" | "notes" | "debug";
  readonly coverage?: boolean;
  /** Time limit of the evaluation in ms, 5,000 when absent. */
  readonly timeoutMs?: number;
}

export interface ExplainRequest extends QueryRequest {
  /** The input as JSON text; undefined input when absent. */
  readonly input?: string;
  /** Time limit of the evaluation in ms, 5,000 when absent. */
  readonly timeoutMs?: number;
}

const NAMES: ReadonlyMap<string, string> = new Map([
  ["entrypoints", "entrypoints"],
  ["optimize", "optimize"],
  ["target", "target"],
  ["revision", "revision"],
  ["wasmIncludePrint", "wasm_include_print"],
  ["key", "key"],
  ["algorithm", "algorithm"],
  ["scope", "scope"],
  ["run", "run"],
  ["coverage", "coverage"],
  ["verbose", "verbose"],
  ["varValues", "var_values"],
  ["explain", "explain"],
  ["json", "json"],
  ["timeoutMs", "timeout_ms"],
  ["locations", "locations"],
  ["compiled", "compiled"],
  ["dropV0Imports", "drop_v0_imports"],
  ["query", "query"],
  ["handle", "handle"],
  ["data", "data"],
  ["strictBuiltinErrors", "strict_builtin_errors"],
  ["paths", "paths"],
  ["ignore", "ignore"],
  ["bundle", "bundle"],
  ["regoVersion", "rego_version"],
  ["capabilities", "capabilities"],
  ["strict", "strict"],
  ["maxErrors", "max_errors"],
]);

/** Every field that a request may have. */
export type AnyRequest = Partial<BuildRequest & TestRequest & ParseRequest & FormatRequest & EvaluateRequest> & {
  readonly handle?: number;
};

/** The first line of a call: a typed request under the names of toolchain/request.go. */
export function requestHead(op: string, request: AnyRequest): string {
  const head: Record<string, unknown> = { op };
  for (const [name, value] of Object.entries(request)) {
    const wire = NAMES.get(name);
    if (wire !== undefined && value !== undefined) head[wire] = value;
  }
  if (request.files !== undefined) head["files"] = Object.fromEntries(request.files);
  if (request.schemas !== undefined) head["schemas"] = Object.fromEntries(request.schemas);
  if (request.binary !== undefined) {
    head["binary"] = Object.fromEntries([...request.binary].map(([name, bytes]) => [name, Buffer.from(bytes).toString("base64")]));
  }
  return JSON.stringify(head);
}

const MEBI = 1024 * 1024;
/** Bounds of a request: a policy of 5 MB takes the checker half a minute, so more is a mistake. */
export const LIMITS = { regoFile: 4 * MEBI, rego: 8 * MEBI, data: 16 * MEBI, payload: 64 * MEBI } as const;

/** Says what of a request is over its bound, or undefined. */
export function overLimit(request: AnyRequest, payload: string | Uint8Array | undefined): string | undefined {
  let rego = 0;
  let data = 0;
  for (const [name, text] of request.files ?? []) {
    const size = Buffer.byteLength(text);
    if (!name.endsWith(".rego")) data += size;
    else if (size > LIMITS.regoFile) return `\`${name}\` has ${size} bytes, more than ${LIMITS.regoFile}`;
    else rego += size;
  }
  for (const bytes of request.binary?.values() ?? []) data += bytes.byteLength;
  if (rego > LIMITS.rego) return `the Rego files have ${rego} bytes, more than ${LIMITS.rego}`;
  if (data > LIMITS.data) return `the data files have ${data} bytes, more than ${LIMITS.data}`;
  const size = payload === undefined ? 0 : Buffer.byteLength(payload);
  return size > LIMITS.payload ? `the payload has ${size} bytes, more than ${LIMITS.payload}` : undefined;
}

/** An object of the wire as a map: names such as `__proto__` are plain keys. */
export function entriesOf<T = JsonValue>(value: unknown): ReadonlyMap<string, T> {
  return new Map(Object.entries((value ?? {}) as Record<string, T>));
}
