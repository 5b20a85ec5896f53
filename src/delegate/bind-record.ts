import { ToolSessionConflict } from "./delegate-error.ts";
import { decodeIdentity, identityText } from "./identity.ts";
import type { SessionStore } from "./store.ts";

/**
 * Binds a record to its key, or compares it with the one that is there.
 * @param record `text` is the canonical JSON of an identity, `ttl` whole seconds
 * @throws ToolSessionConflict when another identity is bound; DelegateError `session_invalid` when what is there cannot be read
 */
export async function bindRecord(sessions: SessionStore, record: { key: string; text: string; ttl: number }): Promise<void> {
  const bound = await sessions.bind(record);
  if (bound.kind !== "other") return;
  // The same identity in other bytes is no conflict; bytes that say nothing are none either.
  if (identityText(decodeIdentity(bound.record)) !== record.text) throw new ToolSessionConflict();
  const again = await sessions.bind({ ...record, expected: bound.record });
  if (again.kind === "other") throw new ToolSessionConflict("the trace was bound by another writer meanwhile");
}
