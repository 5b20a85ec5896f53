import { createWithdrawal, type OwnWithdrawal, type Withdrawal } from "../call/withdrawal.ts";
import { refuse } from "../gate/refuse.ts";
import type { RefusalCode } from "../gate/refusals.ts";
import { PassedOn, ToolError } from "../tools/tool-error.ts";
import type { CallToolResult } from "./corridor-types.ts";
import type { Endings } from "./endings.ts";
import { isToolResult, refusalCodeOf, refusalResult } from "./results.ts";

/** Largest result, in bytes of its JSON; leaves room for the envelope of an answer below 2 MB (design §7). */
export const RESULT_CAP_BYTES = 1_990_000;

/** How an admitted call ended, and what is answered. */
export interface HandlerEnd {
  /** As the outcome event says it (design §10). */
  readonly status: "ok" | "error" | "timeout" | "cancelled" | "dry_run" | "arguments_invalid";
  readonly code?: RefusalCode;
  readonly result: CallToolResult;
}

/** One run of a handler. */
export interface HandlerRun {
  readonly decisionId: string;
  /** Absent: the handler decides by itself how long it takes. */
  readonly timeoutMs?: number | undefined;
  /** Aborted by the caller. */
  readonly signal?: Withdrawal | undefined;
  /** What else ends it: shutdown, or a human. */
  readonly endings?: Endings | undefined;
  readonly start: (stop: Pick<OwnWithdrawal, "withdrawal" | "signal">) => Promise<CallToolResult>;
  /** Called once when the handler itself is over, which may be after the answer. */
  readonly onSettled: () => void;
  /** Told what went wrong inside; never shown to the agent. */
  readonly report: (problem: unknown) => void;
}

/** An answer of the handler stage that is not the tool's own (design §5). */
export function handlerRefusal(decisionId: string, code: RefusalCode, text?: string): CallToolResult {
  return refusalResult(refuse("handler", code, { text }), decisionId);
}

/**
 * Runs a handler and bounds it in time and size; rejects only with what `report` or `onSettled` throws. On a timeout or a cancellation the handler's signal is aborted and the
 * answer goes out at once; what the handler still does is its own clean-up.
 */
export function runHandler(run: HandlerRun): Promise<HandlerEnd> {
  return new Promise((resolve, reject) => {
    const stop = stopper(run, (code) => resolve(ended(run, code)));
    void start(run, stop)
      .finally(() => stop.release())
      .then(resolve, reject);
  });
}

async function start(run: HandlerRun, stop: Stopper): Promise<HandlerEnd> {
  try {
    const result: unknown = stop.code() === undefined ? await run.start(stop.own) : undefined;
    const code = stop.code();
    return code === undefined ? bounded(run, result) : ended(run, code);
  } catch (error) {
    return failed(run, error);
  } finally {
    run.onSettled();
  }
}

function bounded(run: HandlerRun, result: unknown): HandlerEnd {
  if (!isToolResult(result)) return failed(run, new Error("the handler gave no tool result"));
  if (Buffer.byteLength(JSON.stringify(result)) > RESULT_CAP_BYTES) return ended(run, "call.result_too_large");
  return { status: result.isError === true ? "error" : "ok", result };
}

function failed(run: HandlerRun, error: unknown): HandlerEnd {
  if (error instanceof PassedOn && isToolResult(error.answer))
    return { status: "error", code: refusalCodeOf(error.answer) ?? "call.failed", result: error.answer };
  if (error instanceof ToolError)
    return { status: "error", code: "call.failed", result: handlerRefusal(run.decisionId, "call.failed", error.message) };
  run.report(error);
  return ended(run, "call.failed");
}

function ended(run: HandlerRun, code: RefusalCode): HandlerEnd {
  const status = code === "call.timeout" ? "timeout" : code === "call.cancelled" || code === "call.stopped" ? "cancelled" : "error";
  return { status, code, result: handlerRefusal(run.decisionId, code) };
}

type StopCode = "call.timeout" | "call.cancelled" | "call.stopped";

interface Stopper {
  /** What the handler hears of it. */
  readonly own: OwnWithdrawal;
  /** Why it was stopped, once it is. */
  code(): StopCode | undefined;
  release(): void;
}

/** @param stopped called once, when the run is stopped from outside */
function stopper({ timeoutMs, signal, endings }: HandlerRun, stopped: (code: StopCode) => void): Stopper {
  const own = createWithdrawal();
  let reason: StopCode | undefined;
  let over: (() => void) | undefined;
  const release = (): void => {
    clearTimeout(timer);
    signal?.removeEventListener("abort", cancel);
    over?.();
  };
  const stop = (code: StopCode): void => {
    if (reason !== undefined) return;
    reason = code;
    stopped(code);
    own.abort(new Error(code));
    release();
  };
  const cancel = (): void => stop("call.cancelled");
  const timer = timeoutMs === undefined ? undefined : setTimeout(() => stop("call.timeout"), timeoutMs);
  signal?.addEventListener("abort", cancel, { once: true });
  over = endings?.begin(stop);
  if (signal?.aborted === true) cancel();
  if (reason !== undefined) release();
  return { own, code: () => reason, release };
}
