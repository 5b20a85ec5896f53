import { createWasi } from "../wasm/wasi.ts";

/** What the Go reactor exports (toolchain/main.go). */
interface Exports {
  readonly memory: WebAssembly.Memory;
  readonly _initialize: () => void;
  readonly tc_alloc: (bytes: number) => number;
  readonly tc_call: () => number;
  readonly tc_out: () => number;
  readonly tc_free: () => void;
}

/** One instance of the toolchain. After any throw of `call` it must be dropped: Go's runtime does not survive it. */
export interface Instance {
  /** Sends a request and gives the answer's bytes. */
  readonly call: (request: Uint8Array) => Uint8Array;
  /** Last words of the Go program, such as `fatal error: out of memory`. */
  readonly lastWords: () => string;
}

// The collector gets no turn while a build runs, so it must stop the world itself: 344 MB instead of 3.5 GB for one
// policy with a large literal. GOGC=200 halves the time of a build.
const ENVIRON = ["GOGC=200", "GODEBUG=gcstoptheworld=1"];
const LOG_LIMIT = 4096;

/** Makes an instance of a compiled module and initialises Go in it. */
export function instantiate(module: WebAssembly.Module): Instance {
  let log = "";
  const wasi = createWasi({
    args: ["toolchain"],
    environ: ENVIRON,
    log: (text) => {
      // Go says first what went wrong, then prints stacks.
      if (log.length < LOG_LIMIT) log += text.slice(0, LOG_LIMIT - log.length);
    },
  });
  const go = new WebAssembly.Instance(module, wasi.imports(module)).exports as unknown as Exports;
  wasi.bind(go.memory);
  go._initialize();
  return {
    call: (request) => {
      log = "";
      const to = go.tc_alloc(request.length) >>> 0;
      new Uint8Array(go.memory.buffer, to, request.length).set(request);
      const length = go.tc_call() >>> 0;
      const answer = new Uint8Array(go.memory.buffer, go.tc_out() >>> 0, length).slice();
      go.tc_free();
      return answer;
    },
    lastWords: () => log.trim(),
  };
}
