/** Something that is to happen unless it is called off. */
interface Entry {
  /** Milliseconds of `performance.now()`. */
  readonly at: number;
  readonly act: () => void;
}

/** Entries of one length: what came first is due first. */
interface Queue {
  readonly entries: Set<Entry>;
  timer: NodeJS.Timeout | undefined;
}

const queues = new Map<number, Queue>();
const MOST_QUEUES = 256;

/**
 * Calls `act` in so many milliseconds. One timer serves all that are of the same length, so that a call that is answered in time, as
 * nearly every one is, neither starts nor ends one. Does not keep the process alive.
 * @param act must not throw
 * @returns calls it off
 */
export function after(ms: number, act: () => void): () => void {
  const queue = queueOf(ms);
  const entry: Entry = { at: performance.now() + ms, act };
  queue.entries.add(entry);
  if (queue.timer === undefined) wake(queue, ms);
  return () => void queue.entries.delete(entry);
}

function queueOf(ms: number): Queue {
  const known = queues.get(ms);
  if (known !== undefined) return known;
  const queue: Queue = { entries: new Set(), timer: undefined };
  if (queues.size < MOST_QUEUES) queues.set(ms, queue);
  return queue;
}

function wake(queue: Queue, ms: number): void {
  queue.timer = setTimeout(() => fire(queue), Math.ceil(ms)).unref();
}

/** Acts on what is due and sleeps until the next one is. A timer may come up to a millisecond early. */
function fire(queue: Queue): void {
  queue.timer = undefined;
  const due: Entry[] = [];
  const now = performance.now();
  for (const entry of queue.entries) {
    const left = entry.at - now;
    if (left >= 1) {
      wake(queue, left);
      break;
    }
    due.push(entry);
  }
  // One may call off another, or ask for more.
  for (const entry of due) if (queue.entries.delete(entry)) entry.act();
}
