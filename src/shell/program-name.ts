import type { Arg, Run } from "./state.ts";
import type { Duty } from "./tables/build.ts";

/** The name by which the tables know a program: base name, lower-cased (the seed matches lower-cased text). */
export function readName(arg: Arg): string {
  const { text } = arg;
  const name = text.slice(text.lastIndexOf("/") + 1).toLowerCase();
  return name.endsWith(".exe") ? name.slice(0, -4) : name;
}

/** What the tables know of a name; a version at its end does not matter (`python3.11`, `gcc-12`), nor what `mkfs.` makes. */
export function findProgram(run: Run, name: string): readonly Duty[] | undefined {
  const { programs } = run.tables;
  return programs.get(name) ?? programs.get(name.startsWith("mkfs.") ? "mkfs" : name.replace(/-?\d+(?:\.\d+)*$/, ""));
}
