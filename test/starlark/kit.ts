import { afterAll } from "vitest";
import type { JsonValue } from "../../src/call/json.ts";
import { openStarlark } from "../../src/starlark/engine.ts";
import type { StarlarkEngine } from "../../src/starlark/engine.ts";
import type { StarlarkResult } from "../../src/starlark/evaluation.ts";
import type { HostCall } from "../../src/starlark/host-calls.ts";
import type { StarlarkLimits } from "../../src/starlark/limits.ts";

/** The limits of the tests: a time that no test reaches unless it is about time. */
export const LIMITS: StarlarkLimits = { steps: 1_000_000, timeMs: 60_000, memoryMb: 64, outputBytes: 65_536 };

/** For tests that start threads on a busy machine. */
export const SLOW = { timeout: 120_000 };

/** An engine that is closed after the tests of the file. */
export function sharedEngine(limits: Partial<StarlarkLimits> = {}): StarlarkEngine {
  const engine = openStarlark({ limits: { ...LIMITS, ...limits } });
  afterAll(() => engine.close());
  return engine;
}

/** The calls of a script that must make none. */
export const NO_CALLS: HostCall = () => Promise.reject(new Error("the script called a tool"));

/** Evaluates a script that calls no tool. */
export function evaluate(engine: StarlarkEngine, source: string): Promise<StarlarkResult> {
  return engine.evaluate({ source, call: NO_CALLS });
}

/** What an evaluation ended with: its bindings, or the words of its error. */
export async function endOf(work: Promise<StarlarkResult>): Promise<JsonValue> {
  try {
    return (await work).result;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
