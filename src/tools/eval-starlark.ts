import { z } from "zod";
import type { JsonObject, JsonValue } from "../call/json.ts";
import { visible } from "../call/visible.ts";
import type { StarlarkEngine } from "../starlark/engine.ts";
import type { StarlarkResult } from "../starlark/evaluation.ts";
import type { HostRequest } from "../starlark/host-calls.ts";
import { STARLARK_FAULTS, StarlarkError } from "../starlark/starlark-error.ts";
import { PassedOn, ToolError } from "./tool-error.ts";
import type { CallLink, Tool } from "./tool.ts";

/** A call that a script makes. */
export interface ScriptCall extends HostRequest {
  /** The call of eval_starlark. */
  readonly from: CallLink;
  readonly signal: AbortSignal;
}

/** The answer to such a call, in MCP's form. */
export interface ScriptAnswer {
  readonly content: readonly { readonly type: string; readonly text?: JsonValue }[];
  readonly structuredContent?: JsonObject;
  readonly isError?: boolean;
}

/** What eval_starlark needs: the engine, and the way into the corridor. */
export interface EvalStarlarkPorts {
  readonly evaluate: StarlarkEngine["evaluate"];
  /** Enters the corridor; undefined when no tool has that name, which is known only after the call was gated. */
  readonly callTool: (call: ScriptCall) => Promise<ScriptAnswer | undefined>;
}

/** Longer than any evaluation and its wait for a turn: the engine has its own time limit. */
const TIMEOUT_MS = 900_000;

const input = z.strictObject({ code: z.string().describe("Starlark program") });

const output = z.strictObject({
  output: z.string(),
  result: z.record(z.string(), z.unknown()),
  steps: z.int(),
  truncated: z.boolean(),
});

/**
 * eval_starlark (design §7; docs/starlark.md): `{code}` → `{output, result, steps, truncated}`. A script reaches nothing but `tool(name,
 * **arguments)`, and each such call passes the corridor as its own call of the same claim. A refused one ends the script: its answer is then
 * the answer, byte for byte.
 */
export function evalStarlarkTool({ evaluate, callTool }: EvalStarlarkPorts): Tool {
  return {
    name: "eval_starlark",
    title: "Evaluate Starlark",
    description:
      'Runs a Starlark program (a small dialect of Python without imports, files and clock) and returns what it printed and its top-level bindings. tool("name", argument=…) calls another tool of this server under the same rules and gives its structured result; a refused call ends the program. json.encode and json.decode are there. Steps, time, memory and output are limited.',
    input,
    output,
    timeoutMs: TIMEOUT_MS,
    async handler(args, { link, signal }) {
      const { code } = args as z.infer<typeof input>;
      if (link.scripted) throw failure(STARLARK_FAULTS.nested);
      const from: CallLink = { ...link, scripted: true };
      try {
        const done = await evaluate({
          source: code,
          signal,
          call: async (request, stop) => valueOf(await callTool({ ...request, from, signal: stop }), request.tool),
        });
        return outputOf(done);
      } catch (error) {
        if (signal.aborted) throw failure("cancelled", error);
        throw error instanceof StarlarkError ? failure(error.message, error) : error;
      }
    },
  };
}

function failure(message: string, cause?: unknown): ToolError {
  return new ToolError(`starlark error: ${message}`, { cause });
}

/** What `tool` gives to the script: the structured result, or the text when there is none. */
function valueOf(answer: ScriptAnswer | undefined, tool: string): JsonValue {
  if (answer === undefined) throw new StarlarkError(`unknown tool \`${visible(tool).slice(0, 64)}\``);
  if (answer.isError === true) throw new PassedOn(answer);
  if (answer.structuredContent !== undefined) return answer.structuredContent;
  return answer.content.flatMap(({ type, text }) => (type === "text" && typeof text === "string" ? [text] : [])).join("\n");
}

function outputOf({ output: printed, result, shown, steps, truncated }: StarlarkResult): { structured: JsonObject; text: string } {
  const printout = printed === "" || printed.endsWith("\n") ? printed : `${printed}\n`;
  return {
    structured: { output: printed, result, steps, truncated },
    text: `output: ${printout === "" ? "\n" : printout}result: ${shown}`,
  };
}
