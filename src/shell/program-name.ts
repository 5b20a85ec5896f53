import type { Arg } from "./state.ts";

/** The name by which the tables know a program: base name, lower-cased (the seed matches lower-cased text). */
export function readName(arg: Arg): string {
  const { text } = arg;
  return text.slice(text.lastIndexOf("/") + 1).toLowerCase();
}
