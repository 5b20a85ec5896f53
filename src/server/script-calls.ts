import type { ScriptAnswer, ScriptCall } from "../tools/eval-starlark.ts";
import type { Corridor } from "./corridor-types.ts";

/** The calls of scripts: each enters the corridor like a direct one (design §1). */
export interface ScriptCalls {
  readonly callTool: (call: ScriptCall) => Promise<ScriptAnswer | undefined>;
  /** Binds the corridor, which is made after the tools. */
  readonly bind: (corridor: Pick<Corridor, "call">) => void;
}

/** Makes the way from scripts into the corridor. The claim is the corridor's own: a script supplies a name and arguments, nothing else. */
export function createScriptCalls(): ScriptCalls {
  let corridor: Pick<Corridor, "call"> | undefined;
  return {
    callTool: async ({ tool, arguments: args, from, signal }) => {
      if (corridor === undefined) throw new Error("scripts are not bound to a corridor yet");
      const answer = await corridor.call({ tool, arguments: args, path: "script", from, signal });
      return answer.kind === "unknown_tool" ? undefined : answer.result;
    },
    bind: (made) => {
      corridor = made;
    },
  };
}
