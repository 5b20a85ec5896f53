import { runScript } from "./evaluation.ts";
import type { Script, StarlarkResult } from "./evaluation.ts";
import { FIXED_LIMITS } from "./limits.ts";
import type { StarlarkLimits } from "./limits.ts";
import { compileStarlark } from "./module.ts";
import { bracketNesting } from "./nesting.ts";
import { STARLARK_FAULTS, StarlarkError } from "./starlark-error.ts";
import { threadsOf } from "./threads.ts";
import { createTurns } from "./turns.ts";

/** How an engine is opened. */
export interface StarlarkOptions {
  readonly limits: StarlarkLimits;
  /** Told what broke when the engine failed; scripts and agents get fixed words. */
  readonly report?: (problem: unknown) => void;
}

/** starlark-go in worker threads (docs/starlark.md): one thread an evaluation, so that two scripts share nothing. */
export interface StarlarkEngine {
  /**
   * Evaluates one script.
   * @throws StarlarkError on an error of the script and on a limit; what a host call threw; the signal's reason when it is aborted
   */
  readonly evaluate: (script: Script) => Promise<StarlarkResult>;
  /** Ends what runs, and every thread. */
  readonly close: () => Promise<void>;
}

/** Opens an engine. Nothing is read, compiled or started before the first evaluation. */
export function openStarlark({ limits, report = () => undefined }: StarlarkOptions): StarlarkEngine {
  const threads = threadsOf(() => compileStarlark(limits.memoryMb));
  const turns = createTurns(FIXED_LIMITS.running, FIXED_LIMITS.waiting);
  const open = new Set<Promise<unknown>>();
  const shutdown = new AbortController();

  const evaluateInTurn = async (script: Script): Promise<StarlarkResult> => {
    const leave = await turns.enter(script.signal);
    if (leave === undefined) throw new StarlarkError(STARLARK_FAULTS.busy);
    try {
      const thread = await threads.take().catch((cause: unknown) => {
        throw new StarlarkError(STARLARK_FAULTS.engine, { cause });
      });
      return await runScript(thread, script, limits);
    } finally {
      threads.prepare();
      leave();
    }
  };

  const evaluate = async (script: Script): Promise<StarlarkResult> => {
    shutdown.signal.throwIfAborted();
    checkSource(script.source);
    const signal = script.signal === undefined ? shutdown.signal : AbortSignal.any([script.signal, shutdown.signal]);
    const work = evaluateInTurn({ ...script, signal });
    open.add(work);
    try {
      return await work;
    } catch (error) {
      if (error instanceof StarlarkError && error.message === STARLARK_FAULTS.engine) report(error.cause);
      throw error;
    } finally {
      open.delete(work);
    }
  };

  return {
    evaluate,
    async close() {
      shutdown.abort(new StarlarkError(STARLARK_FAULTS.closed));
      await Promise.allSettled(open);
      await threads.close();
    },
  };
}

/** What the parser must not even see (reference: starlark, limits). */
function checkSource(source: string): void {
  if (Buffer.byteLength(source) > FIXED_LIMITS.sourceBytes) throw new StarlarkError(STARLARK_FAULTS.source);
  // To the interpreter it is the end of the source: what follows would be read by people and policies, and not run.
  if (source.includes("\0")) throw new StarlarkError(STARLARK_FAULTS.nul);
  if (bracketNesting(source) > FIXED_LIMITS.nesting) throw new StarlarkError(STARLARK_FAULTS.nesting);
}
