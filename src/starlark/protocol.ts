import type { MessagePort } from "node:worker_threads";

/** What a thread is started with. */
export interface ThreadData {
  readonly module: WebAssembly.Module;
  /** One number: 1 as soon as a reply is in `replies`. */
  readonly replied: Int32Array<SharedArrayBuffer>;
  readonly replies: MessagePort;
}

/** To the thread: the one evaluation that it does. */
export interface EvaluationRequest {
  /** JSON that starlark/program.go reads. */
  readonly text: string;
  /** Unix nanoseconds that the interpreter's wall clock says all along. */
  readonly time: bigint;
}

/** From the thread. After `result` or `fault` it has nothing more to say. */
export type ThreadMessage =
  | { readonly kind: "ready" }
  /** The script calls a tool; the thread waits for the reply. */
  | { readonly kind: "call"; readonly text: string }
  | { readonly kind: "result"; readonly text: string }
  | { readonly kind: "fault"; readonly fault: "memory" | "nesting" | "engine"; readonly message: string };
