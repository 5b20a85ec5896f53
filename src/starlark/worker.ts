import { parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import { instantiate } from "./instance.ts";
import type { Instance } from "./instance.ts";
import type { EvaluationRequest, ThreadData, ThreadMessage } from "./protocol.ts";

// The thread of one evaluation: it starts Go, says that it is ready, evaluates once, and is ended from outside.

const { module, replied, replies } = workerData as ThreadData;
let time = 0n;

function post(message: ThreadMessage): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port between threads has no origin
  parentPort?.postMessage(message);
}

/** Waits for the host's reply. When the call is refused none comes: this thread is ended. */
function call(text: string): string {
  Atomics.store(replied, 0, 0);
  post({ kind: "call", text });
  Atomics.wait(replied, 0, 0);
  return (receiveMessageOnPort(replies) as { message: string }).message;
}

function faultOf(error: unknown, lastWords: string): ThreadMessage {
  const said = lastWords.split("\n", 1)[0] ?? "";
  const message = `${said === "" ? "" : `${said}: `}${String(error)}`;
  if (/out of memory|cannot allocate memory/u.test(lastWords)) return { kind: "fault", fault: "memory", message };
  const isDeep = /stack exceeds/u.test(lastWords) || (error instanceof RangeError && /call stack/iu.test(error.message));
  return { kind: "fault", fault: isDeep ? "nesting" : "engine", message };
}

function evaluate(instance: Instance, request: EvaluationRequest): ThreadMessage {
  ({ time } = request);
  try {
    return { kind: "result", text: instance.evaluate(request.text) };
  } catch (error) {
    return faultOf(error, instance.lastWords());
  }
}

const instance = instantiate({ module, wallClock: () => time, call });
parentPort?.once("message", (request: EvaluationRequest) => post(evaluate(instance, request)));
post({ kind: "ready" });
