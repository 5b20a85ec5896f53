import { workerData } from "node:worker_threads";
import { inProcessEvaluator } from "./evaluator.ts";
import { createInstance, type PolicyImage } from "./instance.ts";
import { openChannel, putText, setState, STATE, STATUS, takeText, WORD, type Channel } from "./worker-channel.ts";

/** What the engine hands to its worker thread. */
export interface WorkerStart {
  readonly image: PolicyImage;
  readonly shared: SharedArrayBuffer;
}

// This thread does nothing but evaluate: it sleeps in Atomics.wait, and whoever no longer waits for an answer terminates it.
serve(workerData as WorkerStart);

function serve(start: WorkerStart): void {
  const channel = openChannel(start.shared);
  const evaluator = inProcessEvaluator(start.image, firstInstance(start.image, channel));
  setState(channel, STATE.idle);
  for (;;) {
    Atomics.wait(channel.head, WORD.state, STATE.idle);
    Atomics.store(channel.head, WORD.status, answer(channel, evaluator.evaluate));
    setState(channel, STATE.idle);
  }
}

function firstInstance(image: PolicyImage, channel: Channel) {
  try {
    return createInstance(image);
  } catch (error) {
    setState(channel, STATE.failed);
    throw error;
  }
}

/** Evaluates the input in the channel and puts the result, or what was thrown, in its place. */
function answer(channel: Channel, evaluate: (entrypoint: number, input: string) => string): number {
  try {
    putText(channel, evaluate(Atomics.load(channel.head, WORD.entrypoint), takeText(channel)));
    return STATUS.result;
  } catch (error) {
    putText(channel, String(error).slice(0, 1000));
    return STATUS.thrown;
  }
}
