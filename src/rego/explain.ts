import type { JsonObject, JsonValue } from "./json.ts";
import { isJsonObject } from "./json.ts";
import type { Outcome } from "./protocol.ts";
import type { Attempt, Explanation } from "./results.ts";
import type { RuleSources } from "./rule-sources.ts";
import type { Toolchain } from "./toolchain.ts";

/** One condition of a rule that decided: where it stands, and whether it held. */
export interface Finding {
  /** Name of the rule's package, such as `ai_agent`. */
  readonly rule: string;
  /** Code of the reason that it led to; absent where a rule did not allow and gave none. */
  readonly code?: string;
  readonly file: string;
  readonly line: number;
  /** The line of the source, without the blanks around it. */
  readonly source: string;
  readonly held: boolean;
}

/** What is to be explained. */
export interface ExplainedInput {
  readonly sources: RuleSources;
  /** Data of the bundle, as loaded. */
  readonly data: JsonObject;
  /** Policy input as JSON text. */
  readonly input: string;
}

/**
 * Tells by OPA's own interpreter which conditions made rules deny, and which kept rules from allowing (design §8, explain). A rule that
 * allows and denies nothing has no findings.
 */
export async function explainRules(toolchain: Toolchain, explained: ExplainedInput): Promise<Outcome<readonly Finding[]>> {
  const findings: Finding[] = [];
  for (const rule of explained.sources.rules) {
    const denials = await ask(toolchain, explained, `data.gate.rules.${rule}.deny`);
    if (!denials.ok) return denials;
    const found = denialFindings(rule, traceOf(denials.value, explained));
    if (found.length > 0) findings.push(...found);
    else {
      const allowed = await ask(toolchain, explained, `data.gate.rules.${rule}.allow`);
      if (!allowed.ok) return allowed;
      if (!isTrue(allowed.value)) findings.push(...allowFindings(rule, traceOf(allowed.value, explained)));
    }
  }
  return { ok: true, value: withoutRepeats(findings) };
}

function ask(toolchain: Toolchain, { sources, data, input }: ExplainedInput, query: string): Promise<Outcome<Explanation>> {
  return toolchain.explain({ files: sources.files, data, query, input });
}

function isTrue({ result }: Explanation): boolean {
  return result[0]?.expressions[0]?.value === true;
}

interface Trace {
  readonly attempts: readonly Attempt[];
  readonly files: ReadonlyMap<string, string>;
}

function traceOf({ attempts }: Explanation, { sources }: ExplainedInput): Trace {
  return { attempts: attempts ?? [], files: sources.files };
}

/** The bodies of `deny` that held: what held in them, and below a negation what did not. */
function denialFindings(rule: string, trace: Trace): Finding[] {
  return trace.attempts.flatMap((attempt, index) => {
    if (!attempt.held || attempt.rule !== `data.gate.rules.${rule}.deny`) return [];
    const at = codeOf(attempt.values ?? []);
    return ownConditions(attempt).flatMap((condition) => {
      const below = condition.negated ? causesBelow(trace, { index, condition: condition.index, refs: condition.refs }) : [];
      // What is negated on the same line is said by that line.
      const causes = below.filter(({ file, row }) => file !== condition.file || row !== condition.row);
      const places = causes.length > 0 ? causes : [{ ...condition, held: true }];
      return places.map((place) => finding(trace, { rule, ...at, ...place }));
    });
  });
}

/** Every try of `allow`, none of which held. */
function allowFindings(rule: string, trace: Trace): Finding[] {
  return trace.attempts.flatMap((attempt, index) => {
    if (attempt.rule !== `data.gate.rules.${rule}.allow`) return [];
    return failuresOf(trace, index, new Set()).map((place) => finding(trace, { rule, ...place }));
  });
}

function codeOf(values: readonly JsonValue[]): { code?: string } {
  const code = isJsonObject(values[0]) ? values[0]["code"] : undefined;
  return typeof code === "string" ? { code } : {};
}

interface Place {
  readonly file: string;
  readonly row: number;
  readonly held: boolean;
}

interface Asked {
  readonly index: number;
  readonly condition: number;
  readonly refs: readonly string[];
}

/** Conditions that failed in what an expression asked for: its own tries, or those of the same rules when they were known already. */
function causesBelow(trace: Trace, { index, condition, refs }: Asked, seen: Set<number> = new Set()): Place[] {
  const own = indexes(trace, (attempt) => attempt.parent === index && attempt.condition === condition);
  const tried = own.length > 0 ? own : indexes(trace, ({ rule }) => rule !== undefined && refs.includes(rule));
  return tried.flatMap((child) => (trace.attempts[child]?.held === true ? [] : failuresOf(trace, child, seen)));
}

function indexes({ attempts }: Trace, wanted: (attempt: Attempt) => boolean): number[] {
  return attempts.flatMap((attempt, index) => (wanted(attempt) ? [index] : []));
}

/** The failed conditions at the bottom of a try: those that failed by themselves and not for another rule. */
function failuresOf(trace: Trace, index: number, seen: Set<number>): Place[] {
  const attempt = trace.attempts[index];
  if (attempt === undefined || seen.has(index)) return [];
  seen.add(index);
  return ownConditions(attempt).flatMap((condition): Place[] => {
    if (!condition.failed) return [];
    const below =
      condition.negated && attempt.rule !== undefined
        ? []
        : causesBelow(trace, { index, condition: condition.index, refs: condition.refs }, seen);
    return below.length > 0 ? below : [{ file: condition.file, row: condition.row, held: false }];
  });
}

/** What the compiler takes from a rule's head stands before its body and is no condition. */
function ownConditions(attempt: Attempt) {
  return (attempt.conditions ?? []).flatMap(({ file, row, refs = [], negated = false, failed = false }, index) =>
    row < (attempt.row ?? 0) ? [] : [{ index, file, row, refs, negated, failed }],
  );
}

function finding({ files }: Trace, place: Place & { readonly rule: string; readonly code?: string }): Finding {
  const { rule, code, file, row, held } = place;
  const source = files.get(file)?.split("\n")[row - 1]?.trim() ?? "";
  return { rule, ...(code === undefined ? {} : { code }), file, line: row, source, held };
}

function withoutRepeats(findings: readonly Finding[]): readonly Finding[] {
  const known = new Map(findings.map((one) => [JSON.stringify(one), one]));
  return [...known.values()];
}
