import { fix } from "../call/fixed.ts";
import type { JsonObject } from "../call/json.ts";
import { quietly } from "../call/quietly.ts";
import { serialise } from "./bounds.ts";
import type { Decision } from "./decision.ts";
import { parseDecision } from "./decision-parser.ts";
import { engineDenial } from "./denials.ts";
import type { Dialect } from "./dialects.ts";
import type { Engine, Entrypoint } from "./engine.ts";
import type { Evaluator } from "./evaluator.ts";
import { INPUT_LIMITS } from "./limits.ts";
import { compileProjection, type Projection } from "./projection.ts";

/** What an engine is made of; all of it was checked before. */
export interface EngineParts {
  readonly name: string;
  readonly digest: string;
  /** Deeply frozen. */
  readonly data: Readonly<JsonObject>;
  readonly entrypoints: ReadonlyMap<string, number>;
  readonly inputPaths: readonly (readonly string[])[];
  readonly dialect: Dialect;
  readonly maxInputBytes: number;
  readonly check: "read" | "whole";
  readonly onFault?: ((fault: Error) => void) | undefined;
  readonly evaluator: Evaluator;
}

/** Texts that were parsed lately, and what they meant: parsing is a function of the text alone, and decisions are frozen. */
const CACHE_SIZE = 128;
const CACHED_LENGTH = 4096;

/**
 * Makes an engine: input bounds and projection, evaluation, strict parser. `decide` never throws, and has no state that a caller could
 * see: the decision depends on the input and the bundle only (trials W05).
 */
export function createEngine(parts: EngineParts): Engine {
  const project = compileProjection(parts.inputPaths, parts.maxInputBytes);
  const write = parts.check === "whole" ? wholeThen(project, parts.maxInputBytes) : project;
  const parse = cachedParser(parts.dialect);
  const { evaluator } = parts;
  const memory = createMemory();
  const decide = (input: unknown, entrypoint: Entrypoint = "gate/decision"): Decision => {
    try {
      const id = parts.entrypoints.get(entrypoint);
      if (id === undefined) throw new Error(`module has no entrypoint \`${entrypoint}\``);
      const text = write(input);
      const before = memory.of(id, text);
      if (before !== undefined) return before;
      const result = evaluator.evaluate(id, text);
      const decision = parse(result, entrypoint);
      if (text.length + result.length <= CACHED_LENGTH) memory.keep(id, text, decision);
      return decision;
    } catch (error) {
      report(parts, error);
      return engineDenial("policy.error");
    }
  };
  const close = (): void => {
    memory.clear();
    evaluator.close();
  };
  const has = (entrypoint: Entrypoint): boolean => parts.entrypoints.has(entrypoint);
  return Object.freeze({ name: parts.name, digest: parts.digest, data: parts.data, decide, has, close });
}

/** Checks the whole input first, also what the policy does not read. */
function wholeThen(project: Projection, bytes: number): Projection {
  return (input) => {
    serialise(input, { ...INPUT_LIMITS, bytes });
    return project(input);
  };
}

/**
 * Remembers what a policy answered to a short text lately: many rules read the claim and the tool, and the same ones come again. An
 * evaluation is a function of the entrypoint and of what the policy reads, since no builtin has a clock or randomness (trials W05); what
 * failed is never remembered.
 */
function createMemory() {
  const byEntrypoint = new Map<number, Map<string, Decision>>();
  return {
    of: (entrypoint: number, input: string): Decision | undefined => byEntrypoint.get(entrypoint)?.get(input),
    keep(entrypoint: number, input: string, decision: Decision): void {
      const known = byEntrypoint.get(entrypoint) ?? new Map<string, Decision>();
      if (known.size >= CACHE_SIZE) known.clear();
      byEntrypoint.set(entrypoint, known.set(input, decision));
    },
    clear: () => byEntrypoint.clear(),
  };
}

function cachedParser(dialect: Dialect): (text: string, entrypoint: Entrypoint) => Decision {
  const known = new Map<string, Decision>();
  return (text, entrypoint) => {
    const key = `${entrypoint === "gate/result" ? "r" : "d"}${text}`;
    const before = known.get(key);
    if (before !== undefined) return before;
    const decision = fix(parseDecision(text, dialect, entrypoint));
    if (text.length <= CACHED_LENGTH) {
      if (known.size >= CACHE_SIZE) known.clear();
      known.set(key, decision);
    }
    return decision;
  };
}

function report(parts: EngineParts, error: unknown): void {
  if (parts.onFault !== undefined) quietly(parts.onFault)(error instanceof Error ? error : new Error(String(error)));
}
