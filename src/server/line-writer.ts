import type { Writable } from "node:stream";

const SLICE_BYTES = 64 * 1024;

/** Writes lines to a stream in order, as fast as its reader takes them. */
export interface LineWriter {
  /** Queues one line; an LF is added. Does nothing once the stream is broken. */
  readonly write: (line: string) => void;
  /** Bytes that the stream has not taken yet; 0 once it is broken. */
  backlog(): number;
  /** Resolves as soon as the backlog is `bytes` or less. */
  below(bytes: number): Promise<unknown>;
  /**
   * Resolves when everything was taken, when the stream is broken, or when nothing was taken for `stallMs`.
   * @returns whether everything was taken
   */
  flushed(stallMs: number): Promise<boolean>;
}

/**
 * A writer that waits for `drain` and hands long lines on in slices, so that a slow reader loses nothing and its progress shows.
 * @param onBroken called once when the stream fails, such as EPIPE: nobody reads any more
 */
export function createLineWriter(stream: Writable, onBroken: () => void): LineWriter {
  const queue = createQueue();
  const watchers = new Set<() => void>();
  let backlog = 0;
  let blocked = false;
  let broken = false;

  const changeTo = (bytes: number): void => {
    backlog = bytes;
    for (const watcher of watchers) watcher();
  };
  const fail = (): void => {
    if (broken) return;
    broken = true;
    onBroken();
    changeTo(0);
  };
  const hand = (bytes: Buffer): void => {
    blocked = !stream.write(bytes, (error) => (error ? fail() : changeTo(Math.max(0, backlog - bytes.length))));
  };
  /** Nothing waits in the queue unless the stream is blocked. */
  const pump = (): void => {
    if (blocked || broken) return;
    for (let next = queue.take(); next; next = blocked || broken ? undefined : queue.take()) hand(next);
  };
  stream.on("error", fail);
  stream.on("close", fail);
  stream.on("drain", () => {
    blocked = false;
    pump();
  });

  return {
    write(line) {
      if (broken) return;
      const bytes = Buffer.from(`${line}\n`);
      backlog += bytes.length;
      if (!blocked && bytes.length <= SLICE_BYTES) return hand(bytes);
      for (let at = 0; at < bytes.length; at += SLICE_BYTES) queue.put(bytes.subarray(at, at + SLICE_BYTES));
      pump();
    },
    backlog: () => backlog,
    below: (bytes) => watch(watchers, () => backlog <= bytes),
    flushed: async (stallMs) => (await watch(watchers, () => backlog === 0, stallMs)) && !broken,
  };
}

/**
 * Resolves with true as soon as a condition holds; with false when nothing changed for `stallMs`.
 */
function watch(watchers: Set<() => void>, holds: () => boolean, stallMs?: number): Promise<boolean> {
  return new Promise((resolve) => {
    let timer: NodeJS.Timeout | undefined;
    const finish = (result: boolean): void => {
      clearTimeout(timer);
      watchers.delete(check);
      resolve(result);
    };
    const check = (): void => {
      if (holds()) return finish(true);
      clearTimeout(timer);
      if (stallMs !== undefined) timer = setTimeout(() => finish(false), stallMs);
    };
    watchers.add(check);
    check();
  });
}

/** First in, first out, in constant time. */
function createQueue(): { put(bytes: Buffer): void; take(): Buffer | undefined } {
  let incoming: Buffer[] = [];
  let outgoing: Buffer[] = [];
  return {
    put: (bytes) => void incoming.push(bytes),
    take() {
      if (outgoing.length === 0) {
        outgoing = incoming.toReversed();
        incoming = [];
      }
      return outgoing.pop();
    },
  };
}
