import { z } from "zod";
import { isJsonObject } from "../call/json.ts";
import type { JsonObject } from "../call/json.ts";
import { ToolError } from "./tool-error.ts";
import type { CallLink, Tool } from "./tool.ts";

/** A command that is to be called by its key. */
export interface CommandCall {
  readonly commandKey: string;
  /** Exactly as they were sent. */
  readonly arguments: JsonObject;
  /** The call of execute. */
  readonly from: CallLink;
  readonly signal: AbortSignal;
}

/** What execute needs: the way into the corridor. */
export interface ExecutePorts {
  /** Enters the corridor before it returns; undefined when the key is no command's, which is known only after it was gated. */
  readonly callCommand: (call: CommandCall) => Promise<object | undefined>;
}

/** Longer than any command takes: the inner call has its own time limit. */
const TIMEOUT_MS = 900_000;

const input = z.strictObject({
  command_key: z.string().describe("key of a command, as search gives it"),
  arguments: z.looseObject({}).optional().describe("arguments of the command, as describe shows them"),
});

/**
 * execute (design §6): `{command_key, arguments?}` enters the corridor again as the command with that key. Its answer, a refusal too, comes
 * back as it is, with the inner call's own text, code and decision id.
 */
export function executeTool({ callCommand }: ExecutePorts): Tool {
  return {
    name: "execute",
    title: "Execute a command",
    description:
      "Calls the command with this key, as the tool of its own would be called: the same rules, the same answer. search finds keys, describe shows arguments.",
    input,
    output: z.looseObject({}),
    passesOn: true,
    timeoutMs: TIMEOUT_MS,
    async handler(args, { call, link, signal }) {
      const { command_key: commandKey } = args as z.infer<typeof input>;
      if (commandKey === "execute") throw new ToolError("execute: cannot execute itself");
      const inner = call.arguments["arguments"];
      const answer = await callCommand({ commandKey, arguments: isJsonObject(inner) ? inner : {}, from: link, signal });
      if (answer === undefined) throw new ToolError("execute: no command has this key");
      return { structured: {}, passed: answer };
    },
  };
}
