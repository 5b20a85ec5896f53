// The whole gate inside one process: entitlement, dry run, policy in WebAssembly, with and without the decision log on disk.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createGate, loadEngine } from "../dist/index.js";
import { makeCall } from "../dist/call/make-call.js";
import { createCorridor } from "../dist/server/corridor.js";
import { declaredFacts } from "../dist/server/facts.js";
import { makeClaim } from "../dist/session/claim.js";
import { analyseCommand } from "../dist/shell/analyse.js";
import { createRegistry } from "../dist/tools/registry.js";
import { riskClass } from "../dist/call/risk-table.js";
import { compare } from "./measure.mjs";

const unlogged = { decision() {}, outcome() {}, close() {} };
const answer = () => ({ content: [{ type: "text", text: "ok" }] });

function openUnlogged(engine) {
  return createCorridor({
    claim: makeClaim({ agentId: "bench" }),
    user: "bench",
    groups: [],
    engine,
    log: unlogged,
    registry: createRegistry([]),
    factsOf: declaredFacts(engine),
    analyse: analyseCommand,
    requireDryRun: true,
    sandbox: "none",
    workdir: process.cwd(),
  });
}

export async function run() {
  const stateDir = mkdtempSync(join(tmpdir(), "regate-bench-"));
  const engine = await loadEngine("ai-agent");
  const corridor = openUnlogged(engine);
  const gate = await createGate({ engine, agentId: "bench", stateDir, requireDryRun: true });
  const factsOf = declaredFacts(engine);
  const question = { command: "audit_log", agent: { risk: "read", dry_run: false } };
  const args = { command: "git log --oneline -n 20 | head -n 5" };
  const call = { tool: "run_shell", arguments: args, path: "direct" };
  const rows = await compare(
    [
      ["engine.decide alone, another question each time", (index) => engine.decide({ ...question, command: `tool_${index}` })],
      ["engine.decide alone, the same question", () => engine.decide(question)],
      [
        "building the call (parse and classify)",
        () => makeCall({ ...call, time: "2026-01-01T00:00:00.000Z", factsOf, analyse: analyseCommand, riskOf: riskClass }),
      ],
      ["gate without log", () => corridor.call({ ...call, handler: answer })],
      ["gate with decision log", () => gate.run(call, answer)],
    ],
    { rounds: 5, calls: 2000 },
  );
  await corridor.close();
  await gate.close();
  engine.close();
  rmSync(stateDir, { recursive: true });
  return { title: "The gate inside one process (run_shell, handler does nothing)", rows };
}
