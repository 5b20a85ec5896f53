import { MessageChannel, Worker } from "node:worker_threads";
import type { EvaluationRequest, ThreadData, ThreadMessage } from "./protocol.ts";

/** What a thread tells; each is called at most once, but `onCall`. */
export interface ThreadEvents {
  readonly onMessage: (message: ThreadMessage) => void;
  /** The thread is over although nobody ended it; `memory` when its own heap was full. */
  readonly onGone: (fault: "memory" | "engine", problem: Error) => void;
}

/** A thread in which Go has started, good for one evaluation. */
export interface Thread {
  /** Begins the evaluation. */
  readonly begin: (request: EvaluationRequest, events: ThreadEvents) => void;
  /** Hands over the reply that the thread waits for. */
  readonly reply: (text: string) => void;
  /** Whether it still runs. */
  readonly alive: () => boolean;
  /** Ends it, whatever it does; resolves when it is over. */
  readonly end: () => Promise<void>;
}

/** JavaScript's own heap; the interpreter's memory is not in it. */
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 };
const START_LIMIT_MS = 30_000;

/** Workers run built JavaScript: from source (tests) the twin in dist/ is taken. */
function workerUrl(): URL {
  return import.meta.url.endsWith(".ts")
    ? new URL("../../dist/starlark/worker.js", import.meta.url)
    : new URL("../starlark/worker.js", import.meta.url);
}

/**
 * Starts a thread; it does not keep the process alive before it has begun.
 * @returns resolves when Go has started in it, rejects when that fails
 */
export async function startThread(module: WebAssembly.Module): Promise<Thread> {
  const { port1: replies, port2: theirs } = new MessageChannel();
  replies.unref();
  const replied = new Int32Array(new SharedArrayBuffer(4));
  const data: ThreadData = { module, replied, replies: theirs };
  const worker = new Worker(workerUrl(), {
    workerData: data,
    transferList: [theirs],
    resourceLimits: RESOURCE_LIMITS,
    env: {},
    argv: [],
    execArgv: [],
    stdin: false,
    stdout: true,
    stderr: true,
  });
  worker.unref();
  const thread = threadOf(worker, replies, replied);
  await started(worker, thread);
  return thread;
}

function threadOf(worker: Worker, replies: MessageChannel["port1"], replied: Int32Array<SharedArrayBuffer>): Thread {
  let alive = true;
  worker.on("error", () => undefined);
  worker.once("exit", () => (alive = false));
  return {
    begin(request, { onMessage, onGone }) {
      worker.on("message", onMessage);
      worker.once("error", (problem) => onGone(isHeapFull(problem) ? "memory" : "engine", problem));
      worker.once("exit", (code) => onGone("engine", new Error(`the thread ended with code ${code}`)));
      worker.ref();
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port between threads has no origin
      worker.postMessage(request);
    },
    reply(text) {
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- as above
      replies.postMessage(text);
      Atomics.store(replied, 0, 1);
      Atomics.notify(replied, 0);
    },
    alive: () => alive,
    async end() {
      await worker.terminate();
      replies.close();
    },
  };
}

function isHeapFull(problem: Error): boolean {
  return "code" in problem && problem.code === "ERR_WORKER_OUT_OF_MEMORY";
}

/** Waits for the word that Go has started. */
async function started(worker: Worker, thread: Thread): Promise<void> {
  const { promise, settle } = outcome();
  const onReady = (): void => settle();
  const onError = (problem: Error): void => settle(problem);
  const onExit = (code: number): void => settle(new Error(`the thread ended with code ${code} before it was ready`));
  const timer = setTimeout(() => settle(new Error(`the thread was not ready within ${START_LIMIT_MS} ms`)), START_LIMIT_MS);
  worker.once("message", onReady).once("error", onError).once("exit", onExit);
  const problem = await promise;
  clearTimeout(timer);
  worker.off("message", onReady).off("error", onError).off("exit", onExit);
  if (problem === undefined) return;
  await thread.end();
  throw problem;
}

function outcome(): { readonly promise: Promise<Error | undefined>; readonly settle: (problem?: Error) => void } {
  let settle: (problem?: Error) => void = () => undefined;
  const promise = new Promise<Error | undefined>((resolve) => {
    settle = resolve;
  });
  return { promise, settle };
}
