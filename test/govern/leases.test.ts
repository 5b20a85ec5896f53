import { chmodSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openLeases } from "../../src/govern/active-leases.ts";
import { createKey, openKey } from "../../src/govern/keys.ts";
import { grantLease } from "../../src/govern/leases.ts";
import { temporaryFolder } from "../audit/kit.ts";

it("a lease whose file could not be read is in force when it can be, also when its folder has not changed", async () => {
  const [stateDir, keysDir, now] = [temporaryFolder(), temporaryFolder(), new Date()];
  createKey({ stateDir, keysDir }, { name: "anna", owner: "anna", now });
  const caller = { sessionId: "mcp-1796000000000000001", agentId: "agent-1" };
  const request = { session: caller.sessionId, source: "env:DEPLOY", destination: "DEPLOY_TOKEN", seconds: 600, reason: "release" };
  const { id } = grantLease(stateDir, request, { key: openKey({ stateDir, keysDir }, "anna"), now });
  const problems: string[] = [];
  const leases = openLeases({ stateDir, caller, environment: {}, now: () => new Date(), report: (problem) => problems.push(problem) });
  const file = join(stateDir, "leases", `${id}.json`);
  chmodSync(file, 0o644);
  // Until the folder has rested for a while it is looked at anew in any case.
  await new Promise((resolve) => setTimeout(resolve, 150));
  expect(leases.active()).toEqual([]);
  expect(leases.active()).toEqual([]);
  chmodSync(file, 0o600);
  expect(leases.active()).toMatchObject([{ id, destination: "DEPLOY_TOKEN" }]);
  expect(problems).toHaveLength(1);
});
