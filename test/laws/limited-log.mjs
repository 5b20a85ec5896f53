// Runs calls through a gate whose file size is limited by the parent (`ulimit -f`), and says which handlers ran.
import { createGate } from "../../dist/index.js";

const [stateDir, rounds] = process.argv.slice(2);
const gate = await createGate({ bundle: "ai-agent", stateDir });
const calls = [];
for (let round = 0; round < Number(rounds); round += 1) {
  let ran = false;
  const result = await gate.run({ tool: "audit_log", arguments: { filter: `call ${round} ${"x".repeat(round * 7)}` } }, () => {
    ran = true;
    return { content: [{ type: "text", text: "done" }] };
  });
  const { code, decision_id: id } = result._meta["regate/decision"];
  calls.push({ ran, code: code ?? "ok", id });
}
await gate.close();
process.stdout.write(JSON.stringify({ sessionId: gate.claim.sessionId, calls }));
