import { startThread } from "./thread.ts";
import type { Thread } from "./thread.ts";

/** Threads, each good for one evaluation; one more is kept started for a while after the last was used. */
export interface Threads {
  /** A started thread; the taker ends it. Rejects when none can be started. */
  readonly take: () => Promise<Thread>;
  /** Starts the spare, if there is none; it is ended when nobody takes it in time. */
  readonly prepare: () => void;
  readonly close: () => Promise<void>;
}

/** How long a spare thread waits: long enough for a burst of scripts, and no longer, since it holds about 25 MB. */
const SPARE_MS = 3_000;

/**
 * Makes the source of threads. Nothing is started before the first `take`.
 * @param start starts one thread; rejects when that fails
 */
export function createThreads(start: () => Promise<Thread>): Threads {
  let spare: Promise<Thread | undefined> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  const takeSpare = async (): Promise<Thread | undefined> => {
    clearTimeout(timer);
    const taken = spare;
    spare = undefined;
    const thread = await taken;
    return thread?.alive() === true ? thread : undefined;
  };
  const drop = async (): Promise<void> => (await takeSpare())?.end();

  return {
    take: async () => (await takeSpare()) ?? start(),
    prepare() {
      if (closed || spare !== undefined) return;
      // A spare that does not start is no loss: the next taker starts one and learns why it fails.
      spare = start().catch(() => undefined);
      timer = setTimeout(() => void drop(), SPARE_MS);
      timer.unref();
    },
    async close() {
      closed = true;
      await drop();
    },
  };
}

/** The threads of one engine: the module is compiled once, at the first use. */
export function threadsOf(compile: () => Promise<WebAssembly.Module>): Threads {
  let module: Promise<WebAssembly.Module> | undefined;
  const compiled = async (): Promise<WebAssembly.Module> => {
    try {
      return await (module ??= compile());
    } catch (error) {
      // What was missing may be there the next time.
      module = undefined;
      throw error;
    }
  };
  return createThreads(async () => startThread(await compiled()));
}
