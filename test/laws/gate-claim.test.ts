import { assert, asyncProperty, constantFrom, oneof, string } from "fast-check";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { isJsonObject } from "../../src/call/json.ts";
import type { JsonObject } from "../../src/call/json.ts";
import type { Engine } from "../../src/policy/engine.ts";
import { loadEngine } from "../../src/policy/load.ts";
import { codeOf, counted, openCorridor, removeFolders } from "../server/support.ts";
import { exactArguments } from "./arbitraries.ts";

let agentSession: Engine;
beforeAll(async () => {
  agentSession = await loadEngine("agent-session");
});
afterAll(() => agentSession.close());
afterEach(removeFolders);

const NOW = new Date("2026-01-01T00:00:00.000Z");
/** Fields of the policy input that arguments may fill; nothing else may differ. */
const FROM_ARGUMENTS = new Set(["arguments", "args"]);

/** Names that a model might try, and any other. */
const names = oneof(
  constantFrom(
    "agent_id",
    "session_id",
    "agent",
    "input",
    "session",
    "claim",
    "user",
    "groups",
    "risk",
    "tool",
    "profile",
    "usage",
    "approval",
    "elevation",
    "subject",
    "context",
    "path",
    "time",
    "__proto__",
    "constructor",
  ),
  string(),
);

/** The input that policy was asked about, without what arguments fill. */
async function restOfInput(tool: string, args: JsonObject): Promise<JsonObject> {
  const claim = Object.freeze({ sessionId: "mcp-1700000000000000000", agentId: "builder" });
  const { corridor, engine } = openCorridor({ claim, now: () => NOW });
  await corridor.call(counted(tool, args).request);
  await corridor.close();
  const [input] = engine.asked;
  return Object.fromEntries(Object.entries(input ?? {}).filter(([key]) => !FROM_ARGUMENTS.has(key)));
}

describe("law 8: nothing in tool arguments changes the claim", () => {
  it.each(["list_sessions", "eval_starlark", "admin_explain", "whoami", "no_such_tool"])(
    "nor anything else of the input of %s",
    async (tool) => {
      const expected = JSON.stringify(await restOfInput(tool, {}));
      await assert(
        asyncProperty(exactArguments(names), async (args) => {
          const rest = await restOfInput(tool, args);
          expect(JSON.stringify(rest)).toBe(expected);
          expect(rest["agent"]).toMatchObject({ id: "builder", session_id: "mcp-1700000000000000000" });
        }),
        { numRuns: 100 },
      );
    },
  );

  it("nor of run_shell, but for the analysis of its command and the class that follows from it", async () => {
    const rest = async (args: JsonObject): Promise<string> => {
      const { shell, ...others } = await restOfInput("run_shell", args);
      expect(isJsonObject(shell)).toBe(true);
      return JSON.stringify(others);
    };
    const expected = await rest({ command: "echo hi" });
    await assert(
      asyncProperty(exactArguments(names), async (args) => {
        expect(await rest({ ...args, command: "echo hi", dry_run: false })).toBe(expected);
      }),
      { numRuns: 100 },
    );
  });

  it("over the shipped agent-session bundle: a bound claim is allowed whatever the arguments claim", async () => {
    await assert(
      asyncProperty(exactArguments(names), async (args) => {
        const { corridor, claim, events } = openCorridor({ engine: agentSession });
        expect(codeOf(await corridor.call(counted("audit_log", args).request))).toBe("ok");
        expect(events()[0]).toMatchObject({ input: { session_id: claim.sessionId, agent: { id: "tester", session_id: claim.sessionId } } });
        await corridor.close();
      }),
      { numRuns: 60 },
    );
  });

  it("over the shipped agent-session bundle: no argument binds what the claim leaves open", async () => {
    const claim = Object.freeze({ sessionId: "", agentId: "" });
    await assert(
      asyncProperty(exactArguments(names), async (args) => {
        const { corridor } = openCorridor({ engine: agentSession, claim: { ...claim, sessionId: "mcp-1700000000000000000" } });
        const { request, state } = counted("audit_log", args);
        expect(codeOf(await corridor.call(request))).toBe("policy.denied");
        expect(state.runs).toBe(0);
        await corridor.close();
      }),
      { numRuns: 60 },
    );
  });
});
