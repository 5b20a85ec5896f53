import { array, assert, asyncProperty, constantFrom, record } from "fast-check";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Engine } from "../../src/policy/engine.ts";
import { loadEngine } from "../../src/policy/load.ts";
import { codeOf, counted, openCorridor, removeFolders } from "../server/support.ts";

let engine: Engine;
beforeAll(async () => {
  engine = await loadEngine("identity-gate");
});
afterAll(() => engine.close());
afterEach(removeFolders);

const SWITCHES = ["config_switch", "config_profile_create", "config_profile_sandbox_use"];
const READS = ["whoami", "harness_load", "config_profile_status", "overview_status"];
const READ_ONLY = ["list_sessions", "audit_log", "search", "describe"];
const MUTATING = ["run_shell", "eval_starlark", "config_profile_rename", "config_profile_edit", "no_such_tool", "Whoami"];

describe("law 7: after a profile switch the next mutating call is refused until an identity read", () => {
  it("over the shipped identity-gate bundle, in every sequence and on every path", async () => {
    const step = record({
      tool: constantFrom(...SWITCHES, ...READS, ...READ_ONLY, ...MUTATING),
      path: constantFrom("direct", "execute", "script", "delegated"),
    });
    await assert(
      asyncProperty(array(step, { maxLength: 25 }), async (steps) => {
        const { corridor, identity } = openCorridor({ engine });
        let confirmed = false;
        let epoch = 0;
        for (const { tool, path } of steps) {
          const { request, state } = counted(tool, { command: "echo hi", label: "x" }, { path });
          const code = codeOf(await corridor.call(request));
          const refused = MUTATING.includes(tool) && !confirmed;
          expect(`${tool} ${String(code)}`).toBe(`${tool} ${refused ? "identity.unconfirmed" : "ok"}`);
          expect(state.runs).toBe(refused ? 0 : 1);
          if (READS.includes(tool)) confirmed = true;
          if (SWITCHES.includes(tool)) [confirmed, epoch] = [false, epoch + 1];
          expect(identity).toMatchObject({ identityConfirmed: confirmed, epoch });
        }
        await corridor.close();
      }),
      { numRuns: 150 },
    );
  });

  it("also when everything is sent at once", async () => {
    await assert(
      asyncProperty(array(constantFrom("config_switch", "whoami", "run_shell"), { maxLength: 12 }), async (tools) => {
        const { corridor } = openCorridor({ engine });
        await corridor.call(counted("whoami").request);
        const answers = await Promise.all(tools.map((tool) => corridor.call(counted(tool, { command: "echo hi", label: "x" }).request)));
        const firstSwitch = tools.indexOf("config_switch");
        for (const [index, tool] of tools.entries()) {
          const isAfterSwitch = firstSwitch >= 0 && index > firstSwitch;
          // No read can have succeeded before all of them were judged.
          expect(codeOf(answers[index] ?? { kind: "unknown_tool" })).toBe(
            tool === "run_shell" && isAfterSwitch ? "identity.unconfirmed" : "ok",
          );
        }
        await corridor.close();
      }),
      { numRuns: 100 },
    );
  });
});
