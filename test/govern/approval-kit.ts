import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BindingFacts } from "../../src/govern/approval-binding.ts";
import { decideApproval } from "../../src/govern/approval-decide.ts";
import { openApprovalDesk } from "../../src/govern/approval-desk.ts";
import type { ApprovalDesk, ApprovalTerms, Standing } from "../../src/govern/approval-desk.ts";
import { openApprovalFiles } from "../../src/govern/approval-files.ts";
import { readApproval } from "../../src/govern/approval-list.ts";
import type { ApprovalView } from "../../src/govern/approval-view.ts";
import { createKey, openKey } from "../../src/govern/keys.ts";

const folders: string[] = [];

/** A state directory with folders of its own for keys and for work; `removeStores` takes them away. */
export function newStore(): { readonly stateDir: string; readonly keysDir: string; readonly workdir: string } {
  const folder = mkdtempSync(join(tmpdir(), "regate-approvals-"));
  folders.push(folder);
  const workdir = mkdtempSync(join(folder, "work-"));
  return { stateDir: join(folder, "state"), keysDir: join(folder, "keys"), workdir };
}

export function removeStores(): void {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
}

export const TERMS: ApprovalTerms = { rule: [{ code: "r.ask", rule: "r", message: "ask a human" }], quorum: 1, ttlSeconds: 600 };

export function factsOf(parts: Partial<BindingFacts> = {}): BindingFacts {
  return {
    tool: "run_shell",
    arguments: { command: "git push" },
    session_id: "mcp-1800000000000000000",
    agent_id: "tester",
    requester: { user: "erika", uid: 4_242 },
    policy: "sha256:0",
    profile: null,
    variables: [],
    home: [],
    sandbox: { kind: "none", network: false, write: "workdir" },
    server: "",
    files: [],
    ...parts,
  };
}

/** A store with a desk and humans who decide. */
export function openStore(given: { readonly now?: () => Date } = {}) {
  const places = newStore();
  const now = given.now ?? (() => new Date());
  const reports: unknown[] = [];
  const open = (): ApprovalDesk =>
    openApprovalDesk({ store: openApprovalFiles(places.stateDir), now, report: (problem) => reports.push(problem) });
  const desk = open();
  const files = openApprovalFiles(places.stateDir);
  const keyOf = (name: string) => openKey(places, name);
  return {
    ...places,
    desk,
    files,
    open,
    reports,
    human(name: string, owner = name) {
      createKey(places, { name, owner, now: now() });
      return keyOf(name);
    },
    keyOf,
    file: async (parts: Partial<BindingFacts> = {}, terms: ApprovalTerms = TERMS): Promise<string> =>
      idOf(await desk.ask({ facts: factsOf(parts), terms })),
    async view(id: string): Promise<ApprovalView> {
      const view = await readApproval(files, id, { now: now() });
      if (view === undefined) throw new Error("no such request");
      return view;
    },
    async decide(
      id: string,
      name: string,
      more: { readonly decision?: "approve" | "deny"; readonly shown?: string; readonly now?: Date } = {},
    ) {
      const shown = more.shown ?? (await this.view(id)).shown.digest;
      const { decision = "approve" } = more;
      return await decideApproval({ store: files, id, decision, reason: "because", key: keyOf(name), shown, now: more.now ?? now() });
    },
  };
}

export function idOf(standing: Standing): string {
  if (standing.kind !== "pending") throw new Error(`not pending but ${standing.kind}`);
  return standing.request.id;
}
