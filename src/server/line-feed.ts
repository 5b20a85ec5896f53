/** Work after which the event loop turns once, in milliseconds. */
const TURN_MS = 50;
/** A line that took longer met a policy that ran into its deadline, or nearly. */
const SLOW_MS = 200;
/** Lines that may wait behind slow ones before nothing more is read. */
const MAX_WAITING = 4096;

/** Hands lines on in their order, without holding the event loop for longer than one of them takes. */
export interface LineFeed<Line> {
  /** Takes a line; it is handed on at once when the event loop has had its turn. */
  readonly push: (line: Line) => void;
  /** Lets the event loop turn before the next line: what this one set going must be over first. */
  readonly turnFirst: () => void;
  /** Tells whether nothing more should be read now. Behind a slow line reading goes on, so that the end of the input is seen. */
  readonly isFull: () => boolean;
  /** Milliseconds by which news from the event loop are late, because a line has only just been done. */
  readonly lateMs: () => number;
  /** Nothing more will come. Resolves when no line waits, or when the ones that wait stand behind a slow one. */
  readonly ending: () => Promise<void>;
  /** Hands on what still waits, at once. */
  readonly finish: () => void;
  /** Forgets what still waits. */
  readonly drop: () => void;
}

/** How lines are handed on. */
export interface LineFeedOptions<Line> {
  readonly take: (line: Line) => void;
  /** A copy of a line that has to wait, when it is valid only while it is pushed. */
  readonly keep: (line: Line) => Line;
  /** Called after lines that had to wait were handed on. */
  readonly onTurn: () => void;
}

/**
 * Makes a feed. A line can hold the thread for as long as a policy's deadline is; between two of them the event loop turns, so that a
 * signal or the end of the input waits for one evaluation and not for all that were sent (design §3: all is over within 2 s).
 */
export function createLineFeed<Line>({ take, keep, onTurn }: LineFeedOptions<Line>): LineFeed<Line> {
  const waiting: Line[] = [];
  const end = { isNear: false, reached: (): void => undefined };
  const last = { tookMs: 0, endedAt: Number.NEGATIVE_INFINITY };
  let [spent, turning] = [0, false];

  const isSlow = (): boolean => last.tookMs >= SLOW_MS;
  const handOn = (line: Line): void => {
    const started = performance.now();
    take(line);
    last.endedAt = performance.now();
    last.tookMs = last.endedAt - started;
    spent += last.tookMs;
  };
  const next = (): { readonly line: Line } | undefined => {
    if (spent >= TURN_MS || waiting.length === 0) return undefined;
    return { line: waiting.shift() as Line };
  };
  const turn = (): void => {
    turning = false;
    run();
    onTurn();
  };
  const run = (): void => {
    for (let line = next(); line !== undefined; line = next()) handOn(line.line);
    rest();
  };
  const rest = (): void => {
    if (waiting.length === 0 || (end.isNear && isSlow())) end.reached();
    if (spent < TURN_MS || (end.isNear && isSlow())) return;
    [spent, turning] = [0, true];
    // Twice: after a line that came from reading, the first one runs before the event loop has looked for anything new.
    setImmediate(() => setImmediate(turn));
  };

  return {
    push(line) {
      if (turning || waiting.length > 0) {
        waiting.push(keep(line));
      } else {
        handOn(line);
        rest();
      }
    },
    turnFirst: () => {
      spent = TURN_MS;
    },
    isFull: () => waiting.length > (isSlow() ? MAX_WAITING : 0),
    lateMs: () => (performance.now() - last.endedAt < TURN_MS ? last.tookMs : 0),
    ending() {
      end.isNear = true;
      if (waiting.length === 0 || isSlow()) return Promise.resolve();
      return new Promise((resolve) => {
        end.reached = resolve;
      });
    },
    finish() {
      for (const line of waiting.splice(0)) take(line);
    },
    drop: () => void waiting.splice(0),
  };
}
