import * as opaWasm from "@open-policy-agent/opa-wasm";
import { hostCalls, type HostCall } from "./host-calls.ts";

/** What every instance of one policy is made of; can be sent to a worker thread. */
export interface PolicyImage {
  readonly module: WebAssembly.Module;
  /** The bundle's data.json, as bytes: OPA's own number texts stay as they are. */
  readonly data: Uint8Array;
  /** Pages of 64 KiB. */
  readonly memory: { readonly initial: number; readonly maximum: number };
}

/** One instance of a policy module with its data. After any throw it must be dropped (reference/opa-wasm.md §3). */
export interface PolicyInstance {
  readonly abi: { readonly version: number; readonly minor: number };
  /** Entrypoint ids by name, from the module. */
  readonly entrypoints: ReadonlyMap<string, number>;
  /** Ids of the builtins that the module asks its host for, by name. */
  readonly builtins: ReadonlyMap<string, number>;
  /**
   * Evaluates an entrypoint.
   * @param entrypoint id from `entrypoints`
   * @param input JSON text of one object; what is no JSON would be taken for no input at all, so it never comes from outside
   * @returns the result set as JSON text
   * @throws whatever the module or a builtin throws
   */
  readonly evaluate: (entrypoint: number, input: string) => string;
  /** Bytes of linear memory; it only ever grows. */
  readonly memoryBytes: () => number;
}

interface Exports extends WebAssembly.Exports {
  readonly opa_eval: (...args: readonly number[]) => number;
  readonly opa_malloc: (size: number) => number;
  readonly opa_free: (address: number) => void;
  readonly opa_value_dump: (value: number) => number;
  readonly opa_json_dump: (value: number) => number;
  readonly opa_value_parse: (address: number, length: number) => number;
  readonly builtins: () => number;
  readonly opa_wasm_abi_version: WebAssembly.Global;
  readonly opa_wasm_abi_minor_version: WebAssembly.Global;
}

/** The part of the package that is used; its own type declarations name exports that the ESM entry does not have. */
interface LoadedPolicy {
  readonly entrypoints: Readonly<Record<string, number>>;
  readonly dataAddr: number;
  readonly dataHeapPtr: number;
  setData(data: ArrayBuffer): void;
}

interface OpaWasm {
  readonly LoadedPolicy: new (instance: WebAssembly.Instance, memory: WebAssembly.Memory, minorVersion: number) => LoadedPolicy;
}

const PAGE = 65_536;
const DISPATCHERS = [0, 1, 2, 3, 4];

/**
 * Makes an instance. OPA's package loads the data and keeps the heap and the entrypoint table; the imports and the call itself are ours,
 * because the package's `sprintf` cannot be replaced and differs from OPA's, its builtins get sets in hash order, its `opa_println` writes to
 * stdout, and it parses a result before anyone could see that it is none (reference/opa-wasm.md §2 and §5).
 * @throws what the module throws at start, or a LinkError
 */
export function createInstance(image: PolicyImage): PolicyInstance {
  const memory = new WebAssembly.Memory(image.memory);
  const io = memoryAccess(memory);
  const link: { call?: HostCall } = {};
  const instance = new WebAssembly.Instance(image.module, { env: imports({ memory, io, link }) });
  const exports = instance.exports as Exports;
  const abi = { version: globalValue(exports.opa_wasm_abi_version), minor: globalValue(exports.opa_wasm_abi_minor_version) };
  const builtins = new Map(Object.entries(JSON.parse(io.text(exports.opa_json_dump(exports.builtins()))) as Record<string, number>));
  link.call = hostCalls(builtins, valueMemory(exports, io));
  const { LoadedPolicy } = (opaWasm as unknown as { readonly default: OpaWasm }).default;
  const policy = new LoadedPolicy(instance, memory, abi.minor);
  policy.setData(exactBuffer(image.data));
  return {
    abi,
    builtins,
    entrypoints: new Map(Object.entries(policy.entrypoints)),
    evaluate: (entrypoint, input) => {
      const length = io.write(input, policy.dataHeapPtr);
      const address = policy.dataHeapPtr;
      return io.text(exports.opa_eval(0, entrypoint, policy.dataAddr, address, length, address + length, 0));
    },
    memoryBytes: io.bytes,
  };
}

interface MemoryAccess {
  /** Text up to the next NUL. */
  readonly text: (address: number) => string;
  /** Writes text as UTF-8, growing the memory when needed; returns the number of bytes. */
  readonly write: (text: string, address: number) => number;
  readonly bytes: () => number;
}

/** Text in and out of linear memory. When the memory grows, the old view is detached, which shows as length 0. */
function memoryAccess(memory: WebAssembly.Memory): MemoryAccess {
  let view = Buffer.from(memory.buffer);
  const current = () => {
    if (view.length === 0) view = Buffer.from(memory.buffer);
    return view;
  };
  return {
    text: (address) => {
      const bytes = current();
      return bytes.toString("utf8", address, bytes.indexOf(0, address));
    },
    write: (text, address) => {
      // A UTF-16 unit takes at most three bytes; count exactly only when that does not fit.
      const room = current().length - address;
      const missing = text.length * 3 > room ? Buffer.byteLength(text) - room : 0;
      if (missing > 0) memory.grow(Math.ceil(missing / PAGE));
      return current().write(text, address, "utf8");
    },
    bytes: () => current().length,
  };
}

function valueMemory(exports: Exports, io: MemoryAccess) {
  return {
    dump: (address: number) => {
      const at = exports.opa_value_dump(address);
      const text = io.text(at);
      exports.opa_free(at);
      return text;
    },
    parse: (text: string) => {
      const at = exports.opa_malloc(Buffer.byteLength(text));
      const value = exports.opa_value_parse(at, io.write(text, at));
      exports.opa_free(at);
      if (value === 0) throw new Error("a builtin's result could not be handed over");
      return value;
    },
  };
}

function imports(parts: { memory: WebAssembly.Memory; io: MemoryAccess; link: { call?: HostCall } }): WebAssembly.ModuleImports {
  const dispatch = (id: number, _context: number, ...addresses: number[]) => {
    if (parts.link.call === undefined) throw new Error("the module called a builtin while it started");
    return parts.link.call(id, addresses);
  };
  return {
    memory: parts.memory,
    opa_abort: (address: number) => {
      throw new Error(`policy aborted: ${parts.io.text(address)}`);
    },
    // stdout is the protocol channel: what a policy prints goes nowhere.
    opa_println: () => undefined,
    ...Object.fromEntries(DISPATCHERS.map((arity) => [`opa_builtin${arity}`, dispatch])),
  };
}

function globalValue(global: WebAssembly.Global | undefined): number {
  return Number(global?.value ?? Number.NaN);
}

function exactBuffer(bytes: Uint8Array): ArrayBuffer {
  return new Uint8Array(bytes).buffer;
}
