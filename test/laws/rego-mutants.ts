import type { JsonObject } from "../../src/call/json.ts";

/** A policy text with one condition less, or one definition of a rule less. */
export interface Mutant {
  /** Such as `allow, line 38: without \`_tool_is_listed\``. */
  readonly note: string;
  readonly text: string;
  /** False when a definition is gone: then others may not compile. */
  readonly compiles: boolean;
}

interface Place {
  readonly row: number;
  readonly col: number;
}

interface Rule {
  readonly head: { readonly name?: string; readonly ref?: readonly { readonly value: string }[] };
  readonly location: Place;
  readonly body: readonly { readonly location: Place }[];
}

/**
 * Every mutant of a formatted policy file: for each rule each condition of its body replaced by `true`, and each definition removed.
 * Relies on what `opa fmt` guarantees: one condition a line inside braces, else one condition after ` if `. Definitions without a
 * condition are only removed; those that others need to compile are left to the compiler, which then reports an error.
 * @param text the file
 * @param tree its syntax tree with locations, as OPA's parser gives it
 */
export function mutantsOf(text: string, tree: JsonObject): readonly Mutant[] {
  const lines = text.split("\n");
  const rules = tree["rules"] as unknown as readonly Rule[];
  return [...rules.flatMap((rule) => withoutConditions(lines, rule)), ...rules.map((rule) => withoutDefinition(lines, rule))];
}

function withoutConditions(lines: readonly string[], rule: Rule): readonly Mutant[] {
  const first = lines[rule.location.row - 1] ?? "";
  if (!/ if(?: |$)/u.test(first)) return [];
  return rule.body.map(({ location }) => {
    const line = lines[location.row - 1] ?? "";
    const condition = line.slice(location.col - 1);
    return {
      note: `${nameOf(rule)}, line ${location.row}: without \`${condition}\``,
      text: lines.with(location.row - 1, `${line.slice(0, location.col - 1)}true`).join("\n"),
      compiles: true,
    };
  });
}

function withoutDefinition(lines: readonly string[], rule: Rule): Mutant {
  const start = rule.location.row - 1;
  const isBlock = /[{(]$/u.test(lines[start] ?? "");
  const end = isBlock ? lines.findIndex((line, index) => index > start && /^[})]/u.test(line)) : start;
  const text = [...lines.slice(0, start), ...lines.slice(end + 1)].join("\n");
  return { note: `${nameOf(rule)}, line ${start + 1}: removed`, text, compiles: false };
}

function nameOf({ head }: Rule): string {
  return head.ref?.[0]?.value ?? head.name ?? "rule";
}
