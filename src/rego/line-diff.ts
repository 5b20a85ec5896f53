interface Step {
  readonly sign: " " | "-" | "+";
  readonly line: string;
}

const CONTEXT = 3;

/**
 * Differences of two texts as a unified diff, with three lines around each change.
 * @param path name for the header, as `a/path` and `b/path`
 */
export function lineDiff(path: string, before: string, after: string): string {
  const steps = stepsBetween(linesOf(before), linesOf(after));
  const near = steps.map((_, index) => steps.slice(Math.max(0, index - CONTEXT), index + CONTEXT + 1).some(({ sign }) => sign !== " "));
  const lines = [`--- a/${path}`, `+++ b/${path}`];
  let [old, fresh] = [1, 1];
  for (const [index, { sign, line }] of steps.entries()) {
    if (near[index] === true) {
      if (near[index - 1] !== true) lines.push(hunkHeader(steps, near, { index, old, fresh }));
      lines.push(sign + line);
    }
    if (sign !== "+") old++;
    if (sign !== "-") fresh++;
  }
  return `${lines.join("\n")}\n`;
}

/** Lines of a text; the last one says so when no newline ends it. */
function linesOf(text: string): readonly string[] {
  const lines = text.split("\n");
  const last = lines.pop() ?? "";
  return last === "" ? lines : [...lines, `${last}\n\\ No newline at end of file`];
}

function hunkHeader(steps: readonly Step[], near: readonly boolean[], from: { index: number; old: number; fresh: number }): string {
  const end = near.indexOf(false, from.index);
  const hunk = steps.slice(from.index, end < 0 ? steps.length : end);
  const count = (but: string): number => hunk.filter(({ sign }) => sign !== but).length;
  return `@@ -${from.old},${count("+")} +${from.fresh},${count("-")} @@`;
}

/** Shortest way from one list of lines to the other, by the longest common subsequence between what is equal at both ends. */
function stepsBetween(before: readonly string[], after: readonly string[]): readonly Step[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let end = 0;
  while (end < before.length - start && end < after.length - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  const same = (lines: readonly string[]): Step[] => lines.map((line) => ({ sign: " ", line }));
  const middle = changes(before.slice(start, before.length - end), after.slice(start, after.length - end));
  return [...same(before.slice(0, start)), ...middle, ...same(before.slice(before.length - end))];
}

function changes(before: readonly string[], after: readonly string[]): Step[] {
  const lengths = commonLengths(before, after);
  const steps: Step[] = [];
  let [i, j] = [0, 0];
  while (i < before.length || j < after.length) {
    const [left, right] = [before[i], after[j]];
    if (left !== undefined && left === right) {
      steps.push({ sign: " ", line: left });
      i++;
      j++;
    } else if (right === undefined || (left !== undefined && (lengths[i + 1]?.[j] ?? 0) >= (lengths[i]?.[j + 1] ?? 0))) {
      steps.push({ sign: "-", line: left ?? "" });
      i++;
    } else {
      steps.push({ sign: "+", line: right });
      j++;
    }
  }
  return steps;
}

/** lengths[i][j]: lines that the rests from i and j have in common. */
function commonLengths(before: readonly string[], after: readonly string[]): number[][] {
  const lengths = Array.from({ length: before.length + 1 }, () => Array.from({ length: after.length + 1 }, () => 0));
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) {
      const row = lengths[i] as number[];
      row[j] = before[i] === after[j] ? (lengths[i + 1]?.[j + 1] ?? 0) + 1 : Math.max(lengths[i + 1]?.[j] ?? 0, row[j + 1] ?? 0);
    }
  }
  return lengths;
}
