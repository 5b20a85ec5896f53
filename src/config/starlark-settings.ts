import type { Setting } from "./setting.ts";
import { pick, type Sources } from "./sources.ts";

/** Limits of one evaluation of eval_starlark (docs/starlark.md). */
export interface StarlarkOptions {
  readonly steps: number;
  readonly timeMs: number;
  readonly memoryMb: number;
  readonly outputBytes: number;
}

const DEFAULTS: StarlarkOptions = { steps: 1_000_000, timeMs: 2_000, memoryMb: 64, outputBytes: 65_536 };

function within(min: number, max: number): (value: string) => string | undefined {
  return (value) => {
    const number = /^[1-9][0-9]{0,8}$/.test(value) ? Number(value) : 0;
    return number >= min && number <= max ? undefined : `must be a whole number from ${min} to ${max}`;
  };
}

/** The limits that an operator may set, with their ceilings (reference: starlark, limits). */
export const STARLARK_SETTINGS = {
  starlarkSteps: {
    name: "starlark-steps",
    kind: "number",
    env: ["REGATE_STARLARK_STEPS"],
    placeholder: "STEPS",
    describe: "steps that a script of eval_starlark may take (default: 1000000)",
    problem: within(1, 10_000_000),
  },
  starlarkTimeMs: {
    name: "starlark-time-ms",
    kind: "number",
    env: ["REGATE_STARLARK_TIME_MS"],
    placeholder: "MS",
    describe: "time limit of a script, the calls that it makes included (default: 2000)",
    problem: within(1, 600_000),
  },
  starlarkMemoryMb: {
    name: "starlark-memory-mb",
    kind: "number",
    env: ["REGATE_STARLARK_MEMORY_MB"],
    placeholder: "MIB",
    describe: "memory of the interpreter, from 32 to 128 MiB (default: 64)",
    problem: within(32, 128),
  },
  starlarkOutputBytes: {
    name: "starlark-output-bytes",
    kind: "number",
    env: ["REGATE_STARLARK_OUTPUT_BYTES"],
    placeholder: "BYTES",
    describe: "bytes of printed text that are kept (default: 65536)",
    problem: within(1, 131_072),
  },
} as const satisfies Record<string, Setting>;

/** The limits as they are set, else their defaults. */
export function starlarkOptions(sources: Sources): StarlarkOptions {
  const number = (setting: Setting, fallback: number): number => Number(pick(setting, sources)?.value ?? fallback);
  return Object.freeze({
    steps: number(STARLARK_SETTINGS.starlarkSteps, DEFAULTS.steps),
    timeMs: number(STARLARK_SETTINGS.starlarkTimeMs, DEFAULTS.timeMs),
    memoryMb: number(STARLARK_SETTINGS.starlarkMemoryMb, DEFAULTS.memoryMb),
    outputBytes: number(STARLARK_SETTINGS.starlarkOutputBytes, DEFAULTS.outputBytes),
  });
}
