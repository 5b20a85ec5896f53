import { hash, randomBytes } from "node:crypto";
import { recordPath, recordText } from "../../src/govern/approval-records.ts";
import type { PendingRecord } from "../../src/govern/approval-records.ts";
import { createStoreFile } from "../../src/govern/store-file.ts";

/** Files a request as a gate does, for tests that need no gate. */
export function fileRequest(stateDir: string, more: Partial<PendingRecord> & { readonly text?: string } = {}): PendingRecord {
  const { text = "run_shell\n\n  echo hello\n", ...fields } = more;
  const now = Date.now();
  const record: PendingRecord = {
    v: 1,
    id: randomBytes(16).toString("hex"),
    session_id: "mcp-1796000000000000001",
    agent_id: "agent-1",
    requester: { user: "bot", uid: 4711 },
    tool: "run_shell",
    rule: [{ code: "deploy.needs_approval", rule: "deploy", message: "a deployment needs a second pair of eyes" }],
    quorum: 1,
    created_at: new Date(now).toISOString(),
    expires_at: new Date(now + 600_000).toISOString(),
    workdir: "/srv/app",
    profile: null,
    digest: hash("sha256", randomBytes(8), "hex"),
    shown: { text, digest: hash("sha256", text, "hex") },
    ...fields,
  };
  createStoreFile(recordPath(stateDir, "pending", record.id), recordText(record));
  return record;
}
