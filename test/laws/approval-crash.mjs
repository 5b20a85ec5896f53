// Files, approves and uses one approval after the other, until it is killed. Each handler leaves one durable line behind. With the URL of a
// Redis it is one of several fronts of one session that make the same calls.
import { appendFileSync, fsyncSync, openSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { openDecisionLog } from "../../dist/audit/decision-log.js";
import { decideApproval } from "../../dist/govern/approval-decide.js";
import { openApprovalDesk } from "../../dist/govern/approval-desk.js";
import { openApprovalFiles } from "../../dist/govern/approval-files.js";
import { readApproval } from "../../dist/govern/approval-list.js";
import { openKey } from "../../dist/govern/keys.js";
import { redisApprovals } from "../../dist/redis/approval-state.js";
import { openConnection } from "../../dist/redis/connection.js";
import { stateKeys } from "../../dist/redis/state-keys.js";
import { createCorridor } from "../../dist/server/corridor.js";
import { declaredFacts } from "../../dist/server/facts.js";
import { makeClaim } from "../../dist/session/claim.js";
import { analyseCommand } from "../../dist/shell/analyse.js";
import { createRegistry } from "../../dist/tools/registry.js";

const [folder, round, url] = process.argv.slice(2);
const places = { stateDir: join(folder, "state"), keysDir: join(folder, "keys") };
const store = url === undefined ? openApprovalFiles(places.stateDir) : openShared();
const claim = url === undefined ? makeClaim({ agentId: "crash" }) : { sessionId: "mcp-1800000000000000000", agentId: "crash" };
/** Whose use was taken last: the handler that starts then runs on it. */
let taken = "";
const now = () => new Date();
const report = (problem) => appendFileSync(join(folder, "problems"), `${problem}\n`);
const corridor = createCorridor({
  claim,
  user: "erika",
  groups: [],
  engine: {
    name: "test",
    digest: `sha256:${"0".repeat(64)}`,
    data: {},
    decide: () => ({ allow: true, reasons: [], effect: "none", confirm: "none", approval: {} }),
    close() {},
  },
  log: openDecisionLog({
    // Elsewhere: below a process that holds the lock of a session here nothing could be decided.
    stateDir: join(folder, "log"),
    sessionId: url === undefined ? claim.sessionId : makeClaim({ agentId: "crash" }).sessionId,
    labels: { id: "test", version: "0" },
    now: () => BigInt(Date.now()) * 1_000_000n,
  }),
  registry: createRegistry([]),
  factsOf: declaredFacts(undefined, {}),
  analyse: analyseCommand,
  requireDryRun: false,
  sandbox: "none",
  workdir: url === undefined ? folder : dirname(folder),
  approvals: { desk: openApprovalDesk({ store, now, report }), waitMs: 0 },
  report,
});
const key = openKey(places, "anna");
const effects = openSync(join(folder, "effects"), "a");

for (let number = 0; ; number += 1) {
  // Few calls, so that fronts meet.
  const tool = `call-${round}-${url === undefined ? number : number % 2}`;
  const request = {
    tool,
    arguments: {},
    path: "direct",
    handler: async () => {
      writeSync(effects, url === undefined ? `${tool}\n` : `${taken}\n`);
      fsyncSync(effects);
      return { content: [] };
    },
  };
  const { code, resolve } = (await corridor.call(request)).result._meta["regate/decision"];
  if (code === "approval.pending") await approve(resolve.slice("approval:".length));
  await Promise.all([corridor.call(request), corridor.call(request)]);
  process.stdout.write(".");
}

async function approve(id) {
  try {
    const { digest: shown } = (await readApproval(store, id, { now: now() })).shown;
    await decideApproval({ store, id, decision: "approve", reason: "", key, shown, now: now() });
  } catch (error) {
    // The same human on another front was first.
    if (url === undefined || error.code !== "govern.already_decided") throw error;
  }
}

function openShared() {
  const { send } = openConnection(url);
  const shared = redisApprovals({ keys: stateKeys("crash"), send, stateDir: places.stateDir });
  return {
    ...shared,
    async take(use) {
      const isTaken = await shared.take(use);
      if (isTaken) taken = use.id;
      return isTaken;
    },
  };
}
