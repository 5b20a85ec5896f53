import { parseJsonOnce } from "../call/duplicate-keys.ts";
import { isJsonObject } from "../call/json.ts";
import type { JsonObject, JsonValue } from "../call/json.ts";
import { FIXED_LIMITS } from "./limits.ts";
import { STARLARK_FAULTS, StarlarkError } from "./starlark-error.ts";

/** A tool that a script wants to be called: a name and arguments, nothing else. */
export interface HostRequest {
  readonly tool: string;
  readonly arguments: JsonObject;
}

/**
 * Makes the call and gives what the script gets. Whatever it throws ends the evaluation and is what `evaluate` rejects with. The signal is
 * aborted when the evaluation is over; it must settle soon then.
 */
export type HostCall = (request: HostRequest, signal: AbortSignal) => Promise<JsonValue>;

/** Answers the requests of one evaluation. */
export interface HostCalls {
  /**
   * @param text the request as it came out of the thread, which is not trusted
   * @returns JSON for the script
   * @throws StarlarkError on a limit and on a malformed request; else what `call` throws
   */
  readonly answer: (text: string, signal: AbortSignal) => Promise<string>;
}

/** Puts the limits around the calls of one evaluation. */
export function createHostCalls(call: HostCall): HostCalls {
  let left = FIXED_LIMITS.hostCalls;
  return {
    async answer(text, signal) {
      if (--left < 0) throw new StarlarkError(STARLARK_FAULTS.hostCalls);
      const reply = JSON.stringify(await call(requestOf(text), signal));
      if (Buffer.byteLength(reply) > FIXED_LIMITS.replyBytes) throw new StarlarkError(STARLARK_FAULTS.hostReplySize);
      return reply;
    },
  };
}

function requestOf(text: string): HostRequest {
  if (Buffer.byteLength(text) > FIXED_LIMITS.requestBytes) throw new StarlarkError(STARLARK_FAULTS.hostRequestSize);
  const parsed = parseJsonOnce(text);
  const value = parsed.ok ? parsed.value : undefined;
  if (value === undefined || !isRequest(value)) throw new StarlarkError(STARLARK_FAULTS.hostRequest);
  return { tool: value["tool"], arguments: value["arguments"] };
}

/** Exactly the two members: a claim or a path comes from this side alone. */
function isRequest(value: JsonValue): value is { tool: string; arguments: JsonObject } {
  if (!isJsonObject(value)) return false;
  const { tool, arguments: given } = value;
  return Object.keys(value).length === 2 && typeof tool === "string" && tool.isWellFormed() && given !== undefined && isJsonObject(given);
}
