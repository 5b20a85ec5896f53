import type { HostFunctions } from "../wasm/wasi.ts";
import { createWasi } from "../wasm/wasi.ts";

/** What the Go reactor exports (starlark/main.go). */
interface Exports {
  readonly memory: WebAssembly.Memory;
  readonly _initialize: () => void;
  readonly eval: () => void;
}

/** What one instance needs of its surroundings. */
export interface InstanceOptions {
  readonly module: WebAssembly.Module;
  /** Unix nanoseconds of the wall clock. */
  readonly wallClock: () => bigint;
  /** Hands a script's request to the host and waits for the reply. */
  readonly call: (text: string) => string;
}

/** One instance of the interpreter, good for one evaluation. */
export interface Instance {
  /** @param text JSON of the program; gives the JSON of the answer. Whatever it throws, the instance is dead afterwards. */
  readonly evaluate: (text: string) => string;
  /** First words of the Go program on its way down, such as `fatal error: out of memory`. */
  readonly lastWords: () => string;
}

const LOG_LIMIT = 8192;
const encoder = new TextEncoder();
/** With replacement: a Starlark string may hold broken UTF-8. */
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Bytes on their way in or out; a view is made for each access, because the memory moves when it grows. */
function exchange(memory: () => WebAssembly.Memory, call: (text: string) => string) {
  let request = new Uint8Array();
  let reply = new Uint8Array();
  let answer = "";
  const read = (at: number, size: number): string => decoder.decode(new Uint8Array(memory().buffer, at >>> 0, size >>> 0).slice());
  const write = (bytes: Uint8Array, at: number): void => new Uint8Array(memory().buffer).set(bytes, at >>> 0);
  const host: HostFunctions = {
    regate: {
      request_size: () => request.length,
      request_read: (to: number) => write(request, to),
      host_call: (at: number, size: number) => (reply = encoder.encode(call(read(at, size)))).length,
      host_reply_read: (to: number) => write(reply, to),
      result: (at: number, size: number) => {
        answer = read(at, size);
      },
    },
  };
  return { host, begin: (text: string) => (request = encoder.encode(text)), answer: () => answer };
}

/** Makes an instance of the compiled module and starts Go in it. */
export function instantiate({ module, wallClock, call }: InstanceOptions): Instance {
  let log = "";
  const wasi = createWasi({
    // Go collects early, because it cannot get back from running out of memory. Not at a fixed heap (GOMEMLIMIT): a script that needs more
    // would be collected over and over until its time is up. The collector gets no turn while a script runs: it must stop the world itself.
    environ: ["GOGC=50", "GODEBUG=gcstoptheworld=1", "GOTRACEBACK=none"],
    wallClock,
    log: (text) => {
      if (log.length < LOG_LIMIT) log += text.slice(0, LOG_LIMIT - log.length);
    },
  });
  const { host, begin, answer } = exchange(() => go.memory, call);
  const go = new WebAssembly.Instance(module, wasi.imports(module, host)).exports as unknown as Exports;
  wasi.bind(go.memory);
  go._initialize();
  return {
    evaluate(text) {
      begin(text);
      go.eval();
      return answer();
    },
    lastWords: () => log.trim(),
  };
}
