import { execFileSync } from "node:child_process";
import { renameSync } from "node:fs";
import { join } from "node:path";
import { array, assert, asyncProperty, boolean, constantFrom, record } from "fast-check";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Engine } from "../../src/policy/engine.ts";
import { loadEngine } from "../../src/policy/load.ts";
import { codeOf, counted, decisionIdOf, eventsOf, openCorridor, removeFolders, temporaryFolder, wordOf } from "../server/support.ts";

let engine: Engine;
beforeAll(async () => {
  engine = await loadEngine("default");
});
afterAll(() => engine.close());
afterEach(removeFolders);

interface LimitedRun {
  readonly sessionId: string;
  readonly calls: readonly { readonly ran: boolean; readonly code: string; readonly id: string }[];
}

describe("law 10: a decision that is not on disk did not happen", () => {
  it("whenever the log goes away and comes back", async () => {
    const step = record({ away: boolean(), tool: constantFrom("whoami", "run_shell", "config_switch", "admin_explain", "no_such_tool") });
    await assert(
      asyncProperty(array(step, { maxLength: 20 }), async (steps) => {
        const { corridor, file, identity } = openCorridor({ engine });
        let isAway = false;
        const admitted: unknown[] = [];
        for (const { away, tool } of steps) {
          if (away !== isAway) renameSync(isAway ? `${file}.away` : file, isAway ? file : `${file}.away`);
          isAway = away;
          const before = identity.view();
          const { request, state } = counted(tool, { command: "echo hi" });
          const answer = await corridor.call(request);
          expect(codeOf(answer) === "audit.unavailable").toBe(away);
          expect(state.runs).toBe(codeOf(answer) === "ok" ? 1 : 0);
          expect(away ? identity.view() : before).toEqual(before);
          if (state.runs > 0) admitted.push(decisionIdOf(answer));
        }
        if (isAway) renameSync(`${file}.away`, file);
        await corridor.close();
        const recorded = eventsOf(file).filter((event) => wordOf(event) === "admitted");
        expect(recorded.map((event) => event.decision_id)).toEqual(admitted);
      }),
      { numRuns: 80 },
    );
  });

  it.each([4, 16, 40])("on a disk that takes %d KiB and no more", (kibibytes) => {
    const stateDir = temporaryFolder();
    const script = join(import.meta.dirname, "limited-log.mjs");
    const output = execFileSync("bash", ["-c", `ulimit -f ${kibibytes}; exec "$0" "$1" "$2" 40`, process.execPath, script, stateDir], {
      encoding: "utf8",
    });
    const { sessionId, calls } = JSON.parse(output) as LimitedRun;
    const recorded = new Set(
      eventsOf(join(stateDir, "decisions", `${sessionId}.jsonl`))
        .filter((event) => wordOf(event) === "admitted")
        .map((event) => event.decision_id),
    );
    expect(calls.filter(({ ran }) => ran).map(({ id }) => id)).toEqual([...recorded]);
    expect(calls.filter(({ ran }) => !ran).every(({ code }) => code === "audit.unavailable")).toBe(true);
    expect(recorded.size).toBeGreaterThan(0);
    expect(recorded.size).toBeLessThan(calls.length);
  });
});
