const MOST_LINES = 1000;
const MOST_CHARACTERS = 8_000_000;

/**
 * Inputs as lines, in pieces that one call of the toolchain takes: the worker's memory and the wall clock limit are for one call.
 * @param inputs JSON texts; a newline inside one can only be white space, and would end the line
 */
export function* chunksOf(inputs: readonly string[]): Generator<readonly string[]> {
  let lines: string[] = [];
  let characters = 0;
  for (const input of inputs) {
    const line = input.replaceAll(/[\r\n]/gu, " ");
    if (lines.length === MOST_LINES || (lines.length > 0 && characters + line.length > MOST_CHARACTERS)) {
      yield lines;
      lines = [];
      characters = 0;
    }
    lines.push(line);
    characters += line.length;
  }
  if (lines.length > 0) yield lines;
}
