import { isJsonObject } from "../call/json.ts";
import type { JsonObject } from "../call/json.ts";
import { createHostCalls } from "./host-calls.ts";
import type { HostCall } from "./host-calls.ts";
import { FIXED_LIMITS } from "./limits.ts";
import type { StarlarkLimits } from "./limits.ts";
import type { EvaluationRequest, ThreadMessage } from "./protocol.ts";
import { STARLARK_FAULTS, StarlarkError } from "./starlark-error.ts";
import type { Thread } from "./thread.ts";

/** What a script came to (reference: starlark, language scope). */
export interface StarlarkResult {
  /** What was printed, each text with a newline. */
  readonly output: string;
  /** The top-level bindings that are data. */
  readonly result: JsonObject;
  /** The same as Starlark writes it. */
  readonly shown: string;
  readonly steps: number;
  /** Whether printed text was dropped. */
  readonly truncated: boolean;
}

/** One script to evaluate. */
export interface Script {
  readonly source: string;
  /** Makes the calls of `tool`. */
  readonly call: HostCall;
  /** Aborted when the result is no longer wanted. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Evaluates one script in a started thread, which is over afterwards. Calls that the script made are aborted and settled before this ends.
 * @throws StarlarkError on an error of the script and on a limit; what a host call threw; the signal's reason
 */
export async function runScript(thread: Thread, script: Script, limits: StarlarkLimits): Promise<StarlarkResult> {
  const { promise, settle, fail } = settler<string>();
  const stop = new AbortController();
  const calls = createHostCalls(script.call);
  const pending = new Set<Promise<void>>();
  const answerCall = async (text: string): Promise<void> => {
    try {
      thread.reply(await calls.answer(text, stop.signal));
    } catch (error) {
      fail(error);
    }
  };
  const onMessage = (message: ThreadMessage): void => {
    if (message.kind === "result") settle(message.text);
    else if (message.kind === "call") track(pending, answerCall(message.text));
    else if (message.kind === "fault") fail(faultOf(message.fault, new Error(message.message)));
  };
  const onAbort = (): void => fail(script.signal?.reason);
  const timer = setTimeout(() => fail(new StarlarkError(STARLARK_FAULTS.time)), limits.timeMs);
  script.signal?.addEventListener("abort", onAbort, { once: true });
  try {
    thread.begin(requestOf(script.source, limits), { onMessage, onGone: (fault, problem) => fail(faultOf(fault, problem)) });
    if (script.signal?.aborted === true) onAbort();
    return resultOf(await promise);
  } finally {
    clearTimeout(timer);
    script.signal?.removeEventListener("abort", onAbort);
    stop.abort();
    await Promise.all([thread.end(), ...pending]);
  }
}

function requestOf(source: string, { steps, outputBytes }: StarlarkLimits): EvaluationRequest {
  const { requestBytes, resultBytes, resultDepth, resultNodes } = FIXED_LIMITS;
  const text = JSON.stringify({
    source,
    steps,
    output_bytes: outputBytes,
    request_bytes: requestBytes,
    result_bytes: resultBytes,
    result_depth: resultDepth,
    result_nodes: resultNodes,
  });
  return { text, time: BigInt(Date.now()) * 1_000_000n };
}

function faultOf(fault: "memory" | "nesting" | "engine", cause: Error): StarlarkError {
  return new StarlarkError(STARLARK_FAULTS[fault], { cause });
}

/** Reads the answer of starlark/program.go; it came out of the thread and is not trusted. */
function resultOf(text: string): StarlarkResult {
  const answer = parsed(text);
  if (!isJsonObject(answer)) throw faultOf("engine", new Error("the answer is no JSON object"));
  const { error, panic, output, result, shown, steps, truncated } = answer;
  if (typeof error === "string") throw new StarlarkError(error);
  const isWhole = typeof output === "string" && typeof shown === "string" && typeof steps === "number" && typeof truncated === "boolean";
  if (typeof panic === "string") throw faultOf(/makeslice|too large/u.test(panic) ? "memory" : "engine", new Error(panic));
  if (!isWhole || result === undefined || !isJsonObject(result)) throw faultOf("engine", new Error("the answer is malformed"));
  return { output, result, shown, steps, truncated };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function track(pending: Set<Promise<void>>, work: Promise<void>): void {
  pending.add(work);
  void work.then(() => pending.delete(work));
}

interface Settler<Value> {
  readonly promise: Promise<Value>;
  readonly settle: (value: Value) => void;
  readonly fail: (problem: unknown) => void;
}

function settler<Value>(): Settler<Value> {
  let settle: (value: Value) => void = () => undefined;
  let fail: (problem: unknown) => void = () => undefined;
  const promise = new Promise<Value>((resolve, reject) => {
    settle = resolve;
    fail = reject;
  });
  return { promise, settle, fail };
}
