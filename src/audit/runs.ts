/** Characters (below U+0080) that a run is made of: 1 at the place of each member. */
export type Alphabet = Readonly<Uint8Array>;

/** Makes an alphabet of some characters of ASCII. */
export function alphabetOf(members: string): Alphabet {
  const table = new Uint8Array(128);
  for (const member of members) table[member.charCodeAt(0)] = 1;
  return table;
}

/** Makes an alphabet of the letters and digits of ASCII, and of others beside them. */
export function alphanumeric(others = ""): Alphabet {
  return alphabetOf(`ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789${others}`);
}

/** A kind of run. */
export interface RunKind {
  readonly alphabet: Alphabet;
  readonly shortest: number;
}

/** Where the next run begins and ends. */
export interface Run {
  readonly start: number;
  readonly end: number;
}

/**
 * Finds the next run: members of an alphabet with none before and none behind them. Looks at one character in `shortest` where there are no
 * runs, which is what makes it fast on plain text; linear on any text.
 * @param from where no run begins earlier: 0, or the end of the run before
 * @returns undefined when there is no run of that length any more
 */
export function nextRun(text: string, { alphabet, shortest }: RunKind, from: number): Run | undefined {
  const isMember = (at: number): boolean => {
    const code = text.charCodeAt(at);
    return code < 128 && alphabet[code] === 1;
  };
  let first = from;
  while (first + shortest <= text.length) {
    // A run of that length that begins in this stretch reaches its last place.
    const last = first + shortest - 1;
    if (isMember(last)) {
      let [start, end] = [last, last + 1];
      while (start > first && isMember(start - 1)) start -= 1;
      while (end < text.length && isMember(end)) end += 1;
      if (end - start >= shortest) return { start, end };
      first = end;
    } else first = last + 1;
  }
  return undefined;
}

/** What becomes of runs. */
export interface RunMap {
  /** Whether a run can hold anything at all. */
  readonly isWorth?: (text: string, run: Run) => boolean;
  /** Where a run ends together with what belongs to it. */
  readonly end?: (text: string, run: Run) => number;
  readonly map: (run: string) => string;
}

/** Maps every run of a text; the same text when nothing changes. */
export function mapRuns(text: string, kind: RunKind, { isWorth = () => true, end: endOf = (_text, run) => run.end, map }: RunMap): string {
  let out = "";
  let done = 0;
  for (let run = nextRun(text, kind, 0); run !== undefined; run = nextRun(text, kind, run.end)) {
    if (!isWorth(text, run)) continue;
    const end = endOf(text, run);
    const before = text.slice(run.start, end);
    const mapped = map(before);
    if (mapped === before) continue;
    out += text.slice(done, run.start) + mapped;
    done = end;
  }
  return done === 0 ? text : out + text.slice(done);
}
