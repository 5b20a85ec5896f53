import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/call/json.ts";
import type { Decision } from "../../src/policy/decision.ts";
import { loadEngine } from "../../src/policy/load.ts";
import type { Conditions } from "../../src/server/conditions.ts";
import { explainCall } from "../../src/server/explainer.ts";
import { ALLOW, counted, openCorridor, removeFolders } from "./support.ts";

afterEach(removeFolders);
const engine = await loadEngine("wasm/default");
afterAll(() => engine.close());

const NOTHING: Conditions = { ok: true, failed: [], matched: [] };
const parts = { hasAllowlist: false, requireDryRun: false, conditionsOf: () => Promise.resolve(NOTHING) };
const statuses = (stages: readonly { stage: string; status: string }[]) => stages.map(({ stage, status }) => `${stage}: ${status}`);

describe("an explanation", () => {
  it("looks at the same policy input as the call (R08)", async () => {
    const { corridor, events } = openCorridor({ engine, workdir: "/work", context: { team: "blue" }, sandbox: "bwrap" });
    for (const command of ["kubectl delete ns 'a b'", "ls", "rm -rf  x"]) {
      const args = { command };
      const { explanation, input } = await explainCall({ ...parts, corridor }, { tool: "run_shell", arguments: args });
      await corridor.call(counted("run_shell", args).request);
      const real = events().findLast((event) => event.custom.regate.event === "decision") as unknown as {
        input: JsonObject;
        result: JsonObject;
      };
      const { time: _time, usage: _usage, ...looked } = input;
      const { time: _realTime, usage: _realUsage, ...called } = real.input;
      expect(looked).toEqual(called);
      expect(explanation.reasons).toEqual((real.result["reasons"] as unknown[]) ?? []);
    }
    expect((events()[0] as unknown as { input: any }).input.shell.commands[0].argv).toEqual(["kubectl", "delete", "ns", "a b"]);
  });

  it("records, counts and runs nothing", async () => {
    const { corridor, engine: stub, file, stateDir } = openCorridor();
    for (let time = 0; time < 3; time += 1)
      await explainCall({ ...parts, corridor }, { tool: "run_shell", arguments: { command: "touch x" } });
    expect(stub.asked.map((input) => (input["usage"] as JsonObject)["calls"])).toEqual([0, 0, 0]);
    expect(existsSync(file) && (await import("node:fs")).readFileSync(file, "utf8")).toBe("");
    expect(existsSync(join(stateDir, "approvals"))).toBe(false);
  });

  it("asks every stage, although the first refusal would win", async () => {
    const allowlist = new Set(["list_sessions"]);
    const { corridor } = openCorridor({ engine, allowlist, requireDryRun: true });
    const { explanation } = await explainCall(
      { ...parts, corridor, hasAllowlist: true, requireDryRun: true },
      { tool: "run_shell", arguments: { command: "rm x" } },
    );
    expect(explanation.outcome).toBe("denied");
    expect(statuses(explanation.stages)).toEqual([
      "admission: allowed",
      "entitlement: denied",
      "dry_run: denied",
      "policy: denied",
      "approval: not_reached",
      "confirm: not_reached",
    ]);
    expect(explanation.stages.map(({ code }) => code)).toEqual([
      undefined,
      "agent.not_entitled",
      "agent.dry_run_required",
      "policy.denied",
      undefined,
      undefined,
    ]);
    expect(explanation.next_steps[0]).toContain("allowlist");
  });

  it.each<[string, Partial<Decision>, string, string]>([
    ["a confirmation", { confirm: "elicit" }, "confirmation_required", "confirm: confirmation_required"],
    ["a block", { confirm: "block" }, "denied", "confirm: denied"],
    ["an approval", { approval: { quorum: 1 } }, "approval_required", "approval: approval_required"],
    ["nothing", {}, "allowed", "confirm: not_required"],
  ])("says that a call needs %s", async (_what, more, outcome, stage) => {
    const { corridor } = openCorridor({ decide: () => ({ ...ALLOW, ...more }) });
    const { explanation } = await explainCall({ ...parts, corridor }, { tool: "t", arguments: {} });
    expect(explanation.outcome).toBe(outcome);
    expect(statuses(explanation.stages)).toContain(stage);
    expect(explanation.command).toBeUndefined();
  });

  it("splits the command on whitespace, keeps quotes and hides what could be a secret", async () => {
    const { corridor } = openCorridor();
    const { explanation } = await explainCall(
      { ...parts, corridor },
      { tool: "run_shell", arguments: { command: "a  'b\tc' password=EXAMPLE-hunter22" } },
    );
    expect([explanation.command, explanation.args]).toEqual(["a", ["'b", "c'", "password=[REDACTED]"]]);
  });

  it("works without conditions, and without an engine", async () => {
    const { corridor } = openCorridor({ engine });
    const conditionsOf = () => Promise.resolve<Conditions>({ ok: false, problem: "no sources" });
    const { explanation } = await explainCall({ ...parts, conditionsOf, corridor }, { tool: "nothing", arguments: {} });
    expect(explanation).toMatchObject({ outcome: "denied", failed_conditions: [], conditions_unavailable: "no sources" });
    const without = openCorridor({ engine: undefined });
    expect(
      (await explainCall({ ...parts, corridor: without.corridor }, { tool: "run_shell", arguments: {} })).explanation.stages[3],
    ).toMatchObject({
      code: "agent.engine_unbound",
    });
  });
});
