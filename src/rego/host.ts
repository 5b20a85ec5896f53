import { Worker } from "node:worker_threads";
import type { WorkerAnswer, WorkerRequest } from "./protocol.ts";

/** A call that ended without an answer of the toolchain. */
export interface HostFault {
  readonly fault: "timeout" | "crash" | "closed";
  readonly message: string;
}

export interface Host {
  /**
   * Sends one call, after those sent before. Never rejects.
   * @param request head and payload
   * @param limitMs wall clock from the moment the call is sent to the worker; over it the worker is ended
   */
  readonly send: (request: Omit<WorkerRequest, "id">, limitMs: number) => Promise<WorkerAnswer | HostFault>;
  /** Counts workers: what an ended worker knew is gone. */
  readonly epoch: () => number;
  readonly close: () => Promise<void>;
}

const CLOSED: HostFault = { fault: "closed", message: "the toolchain is closed" };

/** Workers run built JavaScript: from source (tests) the twin in dist/ is taken. */
function workerUrl(): URL {
  return import.meta.url.endsWith(".ts")
    ? new URL("../../dist/rego/worker.js", import.meta.url)
    : new URL("../rego/worker.js", import.meta.url);
}

function startWorker(folder: URL): Worker {
  const worker = new Worker(workerUrl(), {
    workerData: { folder: folder.href },
    // A chain of 3,000 rules and input 10,000 deep end in an answer instead of a broken runtime.
    resourceLimits: { stackSizeMb: 64 },
    env: {},
    argv: [],
    execArgv: [],
    stdin: false,
  });
  worker.unref();
  worker.on("error", () => undefined);
  return worker;
}

/** One exchange with a worker; the worker keeps the process alive only while it lasts. */
function exchange(worker: Worker, request: WorkerRequest, limitMs: number): Promise<WorkerAnswer | HostFault> {
  return new Promise((resolve) => {
    const done = (answer: WorkerAnswer | HostFault): void => {
      clearTimeout(timer);
      worker.off("message", done);
      worker.off("error", onError);
      worker.off("exit", onExit);
      worker.unref();
      resolve(answer);
    };
    const onError = (error: Error): void => done({ fault: "crash", message: error.message });
    const onExit = (): void => done({ fault: "crash", message: "the worker ended" });
    const timer = setTimeout(() => done({ fault: "timeout", message: `no answer within ${limitMs} ms` }), limitMs);
    worker.on("message", done);
    worker.on("error", onError);
    worker.on("exit", onExit);
    worker.ref();
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port between threads has no origin
    worker.postMessage(request);
  });
}

/** Starts a worker at the first call and again after it was ended; calls run one after the other. */
export function openHost(folder: URL): Host {
  let worker: Worker | undefined;
  let epoch = 0;
  let count = 0;
  let closed = false;
  let queue: Promise<unknown> = Promise.resolve();

  const isClosed = (): boolean => closed;

  const start = (): Worker => {
    const started = startWorker(folder);
    started.once("exit", () => {
      if (worker !== started) return;
      worker = undefined;
      epoch++;
    });
    return started;
  };

  const end = async (): Promise<void> => {
    const ending = worker;
    worker = undefined;
    if (ending === undefined) return;
    epoch++;
    await ending.terminate();
  };

  const run = async (request: Omit<WorkerRequest, "id">, limitMs: number): Promise<WorkerAnswer | HostFault> => {
    if (isClosed()) return CLOSED;
    worker ??= start();
    const answer = await exchange(worker, { ...request, id: ++count }, limitMs);
    if ("id" in answer) return answer;
    await end();
    return isClosed() ? CLOSED : answer;
  };

  return {
    send: (request, limitMs) => {
      const answer = queue.then(() => run(request, limitMs));
      queue = answer;
      return answer;
    },
    epoch: () => epoch,
    close: async () => {
      closed = true;
      await end();
    },
  };
}
