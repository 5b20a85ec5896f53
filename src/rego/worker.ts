import { parentPort, workerData } from "node:worker_threads";
import { instantiate } from "./instance.ts";
import type { Instance } from "./instance.ts";
import { compileModule } from "./module.ts";
import type { WorkerAnswer, WorkerRequest } from "./protocol.ts";
import { ProgramExit } from "../wasm/wasi.ts";

// The thread that runs the toolchain: the module is compiled once, the instance is replaced after any throw.

let module: WebAssembly.Module | undefined;
let instance: Instance | undefined;
let generation = 0;

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** First line, newline, payload, as bytes. */
function encode(request: WorkerRequest): Uint8Array {
  if (request.payload === undefined) return encoder.encode(request.head);
  if (typeof request.payload === "string") return encoder.encode(`${request.head}\n${request.payload}`);
  return Buffer.concat([encoder.encode(`${request.head}\n`), request.payload]);
}

function faultOf(error: unknown, lastWords: string): "memory" | "stack" | "crash" {
  if (/out of memory|cannot allocate memory/u.test(lastWords)) return "memory";
  return error instanceof RangeError && /call stack/iu.test(error.message) ? "stack" : "crash";
}

function describe(error: unknown, lastWords: string): string {
  const thrown = error instanceof ProgramExit || !(error instanceof Error) ? String(error) : `${error.name}: ${error.message}`;
  const said = lastWords.split("\n", 1)[0] ?? "";
  return said === "" ? thrown : `${said} (${thrown})`;
}

function prepared(): Instance {
  module ??= compileModule(new URL((workerData as { folder: string }).folder));
  if (instance === undefined) {
    instance = instantiate(module);
    generation++;
  }
  return instance;
}

function answer(request: WorkerRequest): WorkerAnswer {
  let current: Instance;
  try {
    current = prepared();
  } catch (error) {
    return { id: request.id, generation, fault: "module", message: describe(error, "") };
  }
  try {
    const text = decoder.decode(current.call(encode(request)));
    const end = text.indexOf("\n");
    return { id: request.id, generation, head: end < 0 ? text : text.slice(0, end), payload: end < 0 ? "" : text.slice(end + 1) };
  } catch (error) {
    instance = undefined;
    const words = current.lastWords();
    return { id: request.id, generation, fault: faultOf(error, words), message: describe(error, words) };
  }
}

parentPort?.on("message", (request: WorkerRequest) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port between threads has no origin
  parentPort?.postMessage(answer(request));
});
