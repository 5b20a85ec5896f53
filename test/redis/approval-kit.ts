import { cpSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { BindingFacts } from "../../src/govern/approval-binding.ts";
import { decideApproval } from "../../src/govern/approval-decide.ts";
import { openApprovalDesk } from "../../src/govern/approval-desk.ts";
import type { ApprovalTerms, Standing } from "../../src/govern/approval-desk.ts";
import type { ApprovalUse } from "../../src/govern/approval-use.ts";
import { readApproval } from "../../src/govern/approval-list.ts";
import { createKey, openKey } from "../../src/govern/keys.ts";
import { redisApprovals } from "../../src/redis/approval-state.ts";
import { openConnection } from "../../src/redis/connection.ts";
import { stateKeys } from "../../src/redis/state-keys.ts";
import { factsOf, newStore, TERMS } from "../govern/approval-kit.ts";

/** A prefix of its own for each test. */
let prefixes = 0;

export type Places = ReturnType<typeof newStore>;

/** Fronts and operators, each with a state directory of its own and the public keys of the same humans. */
export function openFronts(url: string, prefix: string = `t${process.pid}-${(prefixes += 1)}`) {
  const first = newStore();
  for (const name of ["anna", "otto", "erika"]) createKey(first, { name, owner: name, now: new Date() });
  const front = (given: { readonly now?: () => Date; readonly places?: Places; readonly url?: string } = {}) => {
    const places = given.places ?? newStore();
    if (given.places === undefined) cpSync(join(first.stateDir, "keys"), join(places.stateDir, "keys"), { recursive: true });
    const connection = openConnection(given.url ?? url);
    const now = given.now ?? (() => new Date());
    const reports: unknown[] = [];
    const store = redisApprovals({ keys: stateKeys(prefix), send: connection.send, stateDir: places.stateDir });
    const desk = openApprovalDesk({ store, now, report: (problem) => reports.push(problem) });
    const close = (): void => {
      store.close();
      connection.close();
    };
    onTestFinished(close);
    return {
      ...places,
      places,
      prefix,
      send: connection.send,
      store,
      desk,
      reports,
      close,
      ask: (parts: Partial<BindingFacts> = {}, terms: ApprovalTerms = TERMS): Promise<Standing> =>
        desk.ask({ facts: factsOf(parts), terms }),
      stateOf: async (id: string) => (await readApproval(store, id, { now: now() }))?.state,
      async decide(id: string, name = "anna", decision: "approve" | "deny" = "approve") {
        const view = await readApproval(store, id, { now: now() });
        const key = openKey({ stateDir: places.stateDir, keysDir: first.keysDir }, name);
        return await decideApproval({ store, id, decision, reason: "because", key, shown: view?.shown.digest ?? "", now: now() });
      },
    };
  };
  return { prefix, front, keysDir: first.keysDir };
}

export type Front = ReturnType<ReturnType<typeof openFronts>["front"]>;

export function useOf(standing: Standing): ApprovalUse {
  if (standing.kind !== "approved") throw new Error(`not approved but ${standing.kind}`);
  return standing.use;
}
