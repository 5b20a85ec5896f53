import { createHash, timingSafeEqual } from "node:crypto";
import { canonicalText, plainEntries } from "./canonical.ts";
import { DelegateError } from "./delegate-error.ts";
import { identityOf } from "./identity.ts";
import type { GivenIdentity } from "./identity.ts";

/** What one durable execution is bound to (seed 002). All six are required. */
export interface FingerprintParts {
  readonly operation_id: string;
  readonly trace_id: string;
  readonly tool_name: string;
  /** A plain object of JSON data. */
  readonly tool_args: object;
  readonly identity: GivenIdentity;
  /** What else changes what is executed; see `CONTEXT_FIELDS`. */
  readonly context: object;
}

/** Keeps these hashes apart from every other hash of canonical JSON. */
const DOMAIN = "regate.durable-tool-parent";
const VERSION = 1;

/** Fields that a context may have. */
export const CONTEXT_FIELDS: ReadonlySet<string> = new Set(["path", "workdir", "profile", "session", "agent_id", "session_id"]);
/** Fields of the transport and of the catalogue: they change while the operation stays the same, so they are refused wherever they stand. */
const TRANSPORT_FIELDS: ReadonlySet<string> = new Set([
  "correlation_id",
  "reply_to",
  "schema_hash",
  "generation",
  "attempt",
  "ts",
  "stream_id",
]);

/**
 * Binds one durable tool execution to its authenticated payload (seed 002): SHA-256, lower-case hex, over canonical JSON. Front and worker
 * use this one function, so that a reader can tell a crossed or forged reply before it resolves a waiter. Other members of `parts`, such as
 * `correlation_id` and `reply_to`, do not count.
 * @throws DelegateError `not_canonical` for what is no plain JSON data or a bad context; `session_invalid` for a bad identity
 */
export function durableToolParentFingerprint(parts: FingerprintParts): string {
  const { operation_id, trace_id, tool_name, tool_args, identity, context } = parts;
  for (const [name, value] of Object.entries({ operation_id, trace_id, tool_name })) {
    if (typeof value !== "string" || value === "") throw bad(`\`${name}\` must be a non-empty string`);
  }
  plainEntries(tool_args);
  checkContext(context);
  const body = { v: VERSION, domain: DOMAIN, operation_id, trace_id, tool_name, tool_args, identity: { ...identityOf(identity) }, context };
  return createHash("sha256").update(canonicalText(body), "utf8").digest("hex");
}

const FINGERPRINT = /^[0-9a-f]{64}$/;

/** Compares two fingerprints or proofs in constant time; false for everything that is not 64 lower-case hex digits. */
export function sameHex(a: unknown, b: unknown): boolean {
  if (typeof a !== "string" || typeof b !== "string" || !FINGERPRINT.test(a) || !FINGERPRINT.test(b)) return false;
  return timingSafeEqual(Buffer.from(a, "latin1"), Buffer.from(b, "latin1"));
}

function checkContext(context: unknown): void {
  for (const [name] of plainEntries(context)) {
    if (!CONTEXT_FIELDS.has(name) && !TRANSPORT_FIELDS.has(name)) throw bad("`context` has an unknown field");
  }
  canonicalText(context, {
    onKey: (key) => {
      if (TRANSPORT_FIELDS.has(key)) throw bad(`\`context\` must not hold the transport field \`${key}\``);
    },
  });
}

function bad(message: string): DelegateError {
  return new DelegateError("not_canonical", message);
}
