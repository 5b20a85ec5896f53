import { Worker } from "node:worker_threads";
import type { Evaluator } from "./evaluator.ts";
import type { PolicyImage } from "./instance.ts";
import { INPUT_LIMITS, MAX_RESULT_LENGTH } from "./limits.ts";
import type { WorkerStart } from "./worker.ts";
import { openChannel, putText, setState, STATE, STATUS, takeText, WORD, type Channel } from "./worker-channel.ts";

/** A worker thread and the memory shared with it; both are given up together. */
interface Lane {
  readonly worker: Worker;
  readonly channel: Channel;
  /** Set when the thread has ended. */
  ended: boolean;
}

/** Room for any input or result within the limits. */
const BODY_BYTES = Math.max(INPUT_LIMITS.bytes, MAX_RESULT_LENGTH * 3);
/** A thread that takes longer than this to start is given up. */
const START_MS = 10_000;

/**
 * Evaluates in a worker thread, so that a policy that never returns can be ended: the caller blocks in `Atomics.wait` up to the deadline,
 * then the thread is terminated, the evaluation has failed, and a new thread starts in the background. An answer that comes after its
 * deadline is never looked at, for its memory has been given up (trials P01).
 * @param image what the policy's instances are made of
 * @param deadlineMs milliseconds that one evaluation may take
 * @throws Error when the first thread does not start
 */
export async function startDeadlineEvaluator(image: PolicyImage, deadlineMs: number): Promise<Evaluator> {
  if (!(deadlineMs > 0) || !Number.isFinite(deadlineMs)) throw new RangeError("deadline is not a positive number of milliseconds");
  let lane: Lane | undefined = openLane(image);
  let closed = false;
  await started(lane);
  return {
    evaluate: (entrypoint, input) => {
      if (closed) throw new Error("the engine is closed");
      if (lane === undefined || lane.ended) lane = openLane(image);
      try {
        return ask(lane, { entrypoint, input, deadlineMs });
      } catch (error) {
        if (!(error instanceof PolicyThrew)) {
          giveUp(lane);
          lane = openLane(image);
        }
        throw error;
      }
    },
    close: () => {
      closed = true;
      if (lane !== undefined) giveUp(lane);
      lane = undefined;
    },
  };
}

/** The policy threw and the thread said so: the thread has replaced its instance and goes on. */
class PolicyThrew extends Error {
  override readonly name = "PolicyThrew";
}

function ask(lane: Lane, question: { entrypoint: number; input: string; deadlineMs: number }): string {
  const { channel } = lane;
  if (Atomics.load(channel.head, WORD.state) === STATE.starting) Atomics.wait(channel.head, WORD.state, STATE.starting, START_MS);
  if (Atomics.load(channel.head, WORD.state) !== STATE.idle) throw new Error("the worker did not start");
  putText(channel, question.input);
  Atomics.store(channel.head, WORD.entrypoint, question.entrypoint);
  const begin = performance.now();
  setState(channel, STATE.request);
  Atomics.wait(channel.head, WORD.state, STATE.request, question.deadlineMs);
  const isLate = performance.now() - begin > question.deadlineMs;
  if (isLate || Atomics.load(channel.head, WORD.state) !== STATE.idle) throw new Error(`no answer within ${question.deadlineMs} ms`);
  const text = takeText(channel);
  if (Atomics.load(channel.head, WORD.status) !== STATUS.result) throw new PolicyThrew(text);
  return text;
}

function openLane(image: PolicyImage): Lane {
  const channel = openChannel(BODY_BYTES);
  const start: WorkerStart = { image, shared: channel.shared };
  // Nothing of the thread reaches stdout, which is the protocol channel; it has no environment to read.
  const worker = new Worker(workerFile(), { workerData: start, stdout: true, stderr: true, env: {}, execArgv: [] });
  const lane: Lane = { worker, channel, ended: false };
  worker.on("error", () => undefined);
  worker.on("exit", () => {
    lane.ended = true;
  });
  worker.unref();
  return lane;
}

function giveUp(lane: Lane): void {
  lane.ended = true;
  void lane.worker.terminate();
}

/** Waits, without blocking, until the thread is ready to be asked. */
async function started(lane: Lane): Promise<void> {
  const { head } = lane.channel;
  for (let waited = 0; waited < START_MS; waited += 2) {
    if (Atomics.load(head, WORD.state) === STATE.idle) return;
    if (lane.ended || Atomics.load(head, WORD.state) === STATE.failed) break;
    await new Promise((resolve) => {
      setTimeout(resolve, 2);
    });
  }
  giveUp(lane);
  throw new Error("the policy's worker thread did not start");
}

/** The built file beside this one; sources are run through their build in `dist/`. */
function workerFile(): URL {
  return import.meta.url.endsWith(".ts")
    ? new URL("../../dist/policy/worker.js", import.meta.url)
    : new URL("../policy/worker.js", import.meta.url);
}
