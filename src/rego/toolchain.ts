import type { JsonObject, JsonValue } from "./json.ts";
import { openHost } from "./host.ts";
import type { Host, HostFault } from "./host.ts";
import { toolchainFolder } from "./module.ts";
import { failed } from "./protocol.ts";
import type { Outcome, Problem, WorkerAnswer } from "./protocol.ts";
import { entriesOf, overLimit, requestHead } from "./requests.ts";
import type {
  AnyRequest,
  BuildRequest,
  BuildResult,
  EvaluateRequest,
  ExplainRequest,
  FileSet,
  FormatRequest,
  ParseRequest,
  QueryRequest,
  RegoOptions,
  TestRequest,
} from "./requests.ts";
import { chunksOf } from "./chunks.ts";
import { parseAnswer } from "./results.ts";
import type { Answer, Evaluation, Explanation, FormatResult, TestReport } from "./results.ts";

/** A prepared query; it lives as long as the instance that prepared it. */
export interface Prepared {
  readonly handle: number;
  /** Which instance holds it. */
  readonly instance: string;
}

/**
 * OPA's compiler, checker, tester, formatter and interpreter (v1.22.4) as a WebAssembly module in a worker thread: no filesystem,
 * no network, files by request (design §1, room `rego/`). Calls run one after the other; none throws.
 */
export interface Toolchain {
  readonly version: () => Promise<Outcome<{ readonly opa: string; readonly go: string }>>;
  /** The capabilities document of this version, or of a named older one. */
  readonly capabilities: (version?: string) => Promise<Outcome<JsonObject>>;
  readonly build: (request: BuildRequest) => Promise<Outcome<BuildResult>>;
  readonly check: (request: FileSet & RegoOptions) => Promise<Outcome<{ readonly modules: number }>>;
  readonly test: (request: TestRequest) => Promise<Outcome<TestReport>>;
  readonly format: (request: FormatRequest) => Promise<Outcome<FormatResult>>;
  /** Path → syntax tree, as `opa parse --format json` writes it. */
  readonly parse: (request: ParseRequest) => Promise<Outcome<ReadonlyMap<string, JsonObject>>>;
  /** Annotations of all modules, as `opa inspect -a` lists them. */
  readonly inspect: (request: ParseRequest) => Promise<Outcome<readonly JsonObject[]>>;
  /** Path → value of JSON and YAML texts, read as OPA reads data files. */
  readonly yaml: (files: ReadonlyMap<string, string>) => Promise<Outcome<ReadonlyMap<string, JsonValue>>>;
  readonly evaluate: (request: EvaluateRequest) => Promise<Outcome<Evaluation>>;
  /** Evaluates a query once and tells which rules were tried and which of their expressions failed. */
  readonly explain: (request: ExplainRequest) => Promise<Outcome<Explanation>>;
  /** Compiles a query once, for `many`. */
  readonly prepare: (request: QueryRequest) => Promise<Outcome<Prepared>>;
  /**
   * Evaluates a prepared query for each input.
   * @param inputs JSON texts, one document each
   * @returns one answer for each input, in order
   */
  readonly many: (prepared: Prepared, inputs: readonly string[]) => Promise<Outcome<readonly Answer[]>>;
  readonly release: (prepared: Prepared) => Promise<Outcome<number>>;
  /** Verifies the signature of a bundle (tar.gz) with a key: PEM, or a secret for HS algorithms. */
  readonly verify: (bundle: Uint8Array, key: { readonly key: string; readonly algorithm: string }) => Promise<Outcome<JsonObject>>;
  /** Ends the worker; later calls fail with `toolchain.closed`. */
  readonly close: () => Promise<void>;
}

export interface ToolchainOptions {
  /** Folder of the module, the shipped one when absent; must end with a slash. */
  readonly folder?: URL;
  /** Wall clock of a call in ms unless the request says otherwise: 60,000, and 600,000 for tests. */
  readonly limitMs?: number;
}

interface Head {
  readonly ok?: boolean;
  readonly result?: unknown;
  readonly files?: Record<string, string>;
  readonly errors?: readonly Problem[];
  readonly text?: string;
  readonly panic?: string;
}

interface Reply {
  readonly head: Head;
  readonly payload: string;
  readonly instance: string;
}

const FAULTS = {
  timeout: "toolchain.timeout",
  crash: "toolchain.crash",
  closed: "toolchain.closed",
  memory: "toolchain.memory",
  stack: "toolchain.stack",
  module: "toolchain.module",
} as const;

function replyOf(answer: WorkerAnswer | HostFault, epoch: number): Outcome<Reply> {
  if ("fault" in answer) return failed(FAULTS[answer.fault], answer.message);
  const head = JSON.parse(answer.head) as Head;
  // The first line says what it was; the stack is of use to a developer alone.
  if (head.panic !== undefined) return { ...failed("toolchain.panic", head.panic.split("\n", 1)[0] ?? ""), text: head.panic };
  if (head.ok !== true) return { ok: false, errors: head.errors ?? [], text: head.text ?? "" };
  return { ok: true, value: { head, payload: answer.payload, instance: `${epoch}.${answer.generation}` } };
}

/** Sends one operation and reads the answer's first line. */
type Call = (op: string, request: AnyRequest, payload?: string | Uint8Array) => Promise<Outcome<Reply>>;

function callOf(host: Host, options: ToolchainOptions): Call {
  return async (op, request, payload) => {
    const over = overLimit(request, payload);
    if (over !== undefined) return failed("toolchain.too_large", over);
    const limitMs = request.limitMs ?? options.limitMs ?? (op === "test" ? 600_000 : 60_000);
    const answer = await host.send(
      payload === undefined ? { head: requestHead(op, request) } : { head: requestHead(op, request), payload },
      limitMs,
    );
    return replyOf(answer, host.epoch());
  };
}

function map<T>(outcome: Outcome<Reply>, read: (reply: Reply) => T): Outcome<T> {
  return outcome.ok ? { ok: true, value: read(outcome.value) } : outcome;
}

function builtFiles({ head }: Reply): BuildResult {
  const files = entriesOf<string>(head.files);
  const bytes = (name: string): Uint8Array => Buffer.from(files.get(name) ?? "", "base64");
  const wasm = files.has("policy.wasm") ? { wasm: bytes("policy.wasm") } : {};
  return { archive: bytes("bundle.tar.gz"), data: bytes("data.json"), manifest: head.result as JsonObject, ...wasm };
}

function testReport({ head, payload }: Reply): TestReport {
  const { pretty = payload, ...report } = head.result as Omit<TestReport, "text"> & { readonly pretty?: string };
  return { ...report, text: pretty };
}

async function manyInChunks(
  call: (payload: string) => Promise<Outcome<Reply>>,
  inputs: readonly string[],
): Promise<Outcome<readonly Answer[]>> {
  const answers: Answer[] = [];
  for (const lines of chunksOf(inputs)) {
    const reply = await call(lines.join("\n"));
    if (!reply.ok) return reply;
    for (const line of reply.value.payload.split("\n")) if (line !== "") answers.push(parseAnswer(line));
  }
  return { ok: true, value: answers };
}

/** Opens the toolchain; the worker starts at the first call and does not keep the process alive between calls. */
export function openToolchain(options: ToolchainOptions = {}): Toolchain {
  const host = openHost(options.folder ?? toolchainFolder());
  const call = callOf(host, options);
  let instance = "";
  const tracked: Call = async (op, request, payload) => {
    const reply = await call(op, request, payload);
    // A fault has discarded the instance; an error of the toolchain has not.
    if (reply.ok) instance = reply.value.instance;
    else if (reply.errors[0]?.code.startsWith("toolchain.") === true) instance = "";
    return reply;
  };
  const held = async (prepared: Prepared, op: string, payload?: string): Promise<Outcome<Reply>> => {
    if (prepared.instance !== instance) return failed("toolchain.handle", "the prepared query is gone: its instance was discarded");
    return tracked(op, { handle: prepared.handle }, payload);
  };
  return {
    version: async () => map(await tracked("version", {}), ({ head }) => head.result as { opa: string; go: string }),
    capabilities: async (version) =>
      map(await tracked("capabilities", version === undefined ? {} : { capabilities: version }), ({ head }) => head.result as JsonObject),
    build: async (request) => map(await tracked("build", request), builtFiles),
    check: async (request) => map(await tracked("check", request), ({ head }) => head.result as { modules: number }),
    test: async (request) => map(await tracked("test", request), testReport),
    format: async (request) =>
      map(await tracked("fmt", request), ({ head }) => ({ formatted: entriesOf<string>(head.result), errors: head.errors ?? [] })),
    parse: async (request) => map(await tracked("parse", request), ({ head }) => entriesOf<JsonObject>(head.result)),
    inspect: async (request) => map(await tracked("inspect", request), ({ head }) => (head.result ?? []) as JsonObject[]),
    yaml: async (files) => map(await tracked("yaml", { files }), ({ head }) => entriesOf(head.result)),
    evaluate: async ({ input, ...request }) => map(await tracked("eval", request, input), ({ head }) => head.result as Evaluation),
    explain: async ({ input, ...request }) => map(await tracked("explain", request, input), ({ head }) => head.result as Explanation),
    prepare: async (request) =>
      map(await tracked("prepare", request), (reply) => ({ handle: reply.head.result as number, instance: reply.instance })),
    many: (prepared, inputs) => manyInChunks((payload) => held(prepared, "many", payload), inputs),
    release: async (prepared) => map(await held(prepared, "release"), ({ head }) => head.result as number),
    verify: async (bundle, key) => map(await tracked("verify", key, bundle), ({ head }) => head.result as JsonObject),
    close: () => host.close(),
  };
}
