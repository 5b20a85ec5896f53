import type { Assertion } from "./re2-node.ts";
import type { Program } from "./re2-program.ts";
import { BuiltinLimit } from "./values.ts";

/** Threads in order of priority: where they are, and what they have captured. */
interface Threads {
  readonly at: number[];
  readonly saved: (readonly number[])[];
}

const MAX_STEPS = 3_000_000;

/** One text being searched: states seen at the current position, and the steps that are left for the whole text. */
export interface Search {
  readonly program: Program;
  readonly text: readonly string[];
  readonly seen: Int32Array;
  generation: number;
  steps: number;
}

/**
 * Prepares a search of one text; all matches found in it share one budget of steps.
 * @param program compiled pattern
 * @param text the text as code points
 */
export function createSearch(program: Program, text: readonly string[]): Search {
  return { program, text, seen: new Int32Array(program.code.length), generation: 0, steps: MAX_STEPS };
}

/**
 * Finds the leftmost match, preferring earlier alternatives and greedy repetition as Perl does (Go's `Regexp`).
 * @param search prepared by `createSearch`
 * @param from index in the text where to begin; what is before it still counts for `^` and `\b`
 * @returns start and end of the match and its groups as indexes in the text, -1 where a group took no part
 * @throws {BuiltinLimit} after too many steps
 */
export function findMatch(search: Search, from: number): readonly number[] | undefined {
  const { program, text } = search;
  const unset = Array.from({ length: program.slots }, () => -1);
  let current: Threads = { at: [], saved: [] };
  let found: readonly number[] | undefined;
  search.generation += 1;
  for (let position = from; position <= text.length; position += 1) {
    if (found === undefined) addThread({ search, threads: current, position }, { at: program.start, saved: unset.with(0, position) });
    if (current.at.length === 0 && found !== undefined) break;
    search.generation += 1;
    const next: Threads = { at: [], saved: [] };
    for (const [index, at] of current.at.entries()) {
      const instruction = program.code[at];
      const saved = current.saved[index] ?? unset;
      if (instruction?.op === "match") {
        found = saved.with(1, position);
        break;
      }
      const character = text[position];
      if (instruction?.op !== "char" || character === undefined || !instruction.test(character)) continue;
      addThread({ search, threads: next, position: position + 1 }, { at: instruction.out, saved });
    }
    current = next;
  }
  return found;
}

/** Adds a thread and all that it reaches without reading a character, in order of priority, each state once a position. */
function addThread(list: { search: Search; threads: Threads; position: number }, first: { at: number; saved: readonly number[] }): void {
  const { search, threads, position } = list;
  const { program, seen } = search;
  const pending = [first];
  for (let thread = pending.pop(); thread !== undefined; thread = pending.pop()) {
    search.steps -= 1;
    if (search.steps < 0) throw new BuiltinLimit("regular expression: too many steps");
    if (seen[thread.at] === search.generation) continue;
    seen[thread.at] = search.generation;
    const instruction = program.code[thread.at];
    if (instruction?.op === "alt")
      pending.push({ at: instruction.other, saved: thread.saved }, { at: instruction.out, saved: thread.saved });
    else if (instruction?.op === "save") {
      const saved = instruction.slot < program.slots ? thread.saved.with(instruction.slot, position) : thread.saved;
      pending.push({ at: instruction.out, saved });
    } else if (instruction?.op === "assert") {
      if (holds(instruction.kind, search.text, position)) pending.push({ at: instruction.out, saved: thread.saved });
    } else {
      threads.at.push(thread.at);
      threads.saved.push(thread.saved);
    }
  }
}

function holds(kind: Assertion, text: readonly string[], position: number): boolean {
  const [before, after] = [text[position - 1], text[position]];
  if (kind === "begin_text") return before === undefined;
  if (kind === "end_text") return after === undefined;
  if (kind === "begin_line") return before === undefined || before === "\n";
  if (kind === "end_line") return after === undefined || after === "\n";
  return (isWord(before) !== isWord(after)) === (kind === "word");
}

function isWord(character: string | undefined): boolean {
  return character !== undefined && /^[0-9A-Za-z_]$/.test(character);
}
