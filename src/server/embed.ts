import type { JsonObject } from "../call/json.ts";
import type { CallPath } from "../call/tool-call.ts";
import type { Verdict } from "../gate/verdict.ts";
import type { Claim } from "../session/session.ts";
import type { ToolContext } from "../tools/tool.ts";
import type { OpenCorridor } from "./corridor.ts";
import type { CallRequest, CallToolResult } from "./corridor-types.ts";

/** One tool call of an embedding agent. */
export interface GateCall {
  readonly tool: string;
  /** None unless given. Copied and frozen when the call enters; nothing that happens to this object later changes what runs. */
  readonly arguments?: JsonObject;
  /** `direct` unless given. */
  readonly path?: CallPath;
  /** Aborted when the answer is no longer wanted. */
  readonly signal?: AbortSignal;
}

/** What runs when the gate admits the call. Gets the frozen arguments that were judged, and what the gate knows. */
export type GateHandler = (args: JsonObject, context: ToolContext) => CallToolResult | Promise<CallToolResult>;

/** A gate inside an agent (design §13). */
export interface Gate {
  /** The process claim of this gate's session. */
  readonly claim: Claim;
  /**
   * Passes one call through the corridor. A refusal is a result with `isError`, never an exception; `handler` runs only for an admitted call.
   * @throws RangeError when `path` is none of the four
   */
  run(call: GateCall, handler: GateHandler): Promise<CallToolResult>;
  /** What the gate would say to a call now. A look, not a call: nothing is recorded, counted or changed, and nothing may be run on it. */
  decide(call: GateCall): Verdict;
  /** Stops what runs, waits for it and closes the decision log. */
  close(): Promise<void>;
}

const PATHS: ReadonlySet<unknown> = new Set<CallPath>(["direct", "execute", "script", "delegated"]);

/**
 * Puts the embedding form around a corridor.
 * @param claim claim of the corridor's session
 * @param closed called once when the gate is closed, for what belongs to the gate besides
 */
export function openGate(corridor: OpenCorridor, claim: Claim, closed: () => void): Gate {
  let closing: Promise<void> | undefined;
  return {
    claim,
    async run(call, handler) {
      const answer = await corridor.call(requestOf(call, handler));
      // A call that brings its handler is never unknown.
      if (answer.kind === "unknown_tool") throw new Error(`no handler for \`${call.tool}\``);
      return answer.result;
    },
    decide: (call) => corridor.decide(requestOf(call, nothing)),
    close: () => (closing ??= corridor.close().finally(closed)),
  };
}

function requestOf(call: GateCall, handler: GateHandler): CallRequest {
  const { tool, path = "direct", signal } = call;
  if (!PATHS.has(path)) throw new RangeError("`path` must be `direct`, `execute`, `script` or `delegated`");
  const start: CallRequest["handler"] = async (args, context) => handler(args, context);
  return { tool, arguments: call.arguments ?? {}, path, handler: start, ...(signal === undefined ? {} : { signal }) };
}

function nothing(): CallToolResult {
  return { content: [] };
}
