import { createCipheriv, createDecipheriv, createHash, randomBytes, randomUUID } from "node:crypto";
import { canonicalJson } from "../audit/canonical.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../call/json.ts";
import type { ToolCall } from "../call/tool-call.ts";

/** What a question and its answer must agree in. */
export interface QuestionScope {
  /** Session of the process claim. */
  readonly session: string;
  readonly agent: string;
  readonly call: Pick<ToolCall, "tool" | "path" | "arguments">;
  /** Digest of the policy bundle. */
  readonly policy: string;
}

/** What the human was shown beside the call: when the answer comes it must still be so. */
export interface ShownIdentity {
  readonly epoch: number;
  readonly label: string | null;
}

/** Questions that went out with an answer, each to be answered once by a repeated request (MCP 2026-07-28, `requestState`). */
export interface SealedQuestions {
  /** Notes a question; gives the sealed text that stands for it, which a client can neither read, change nor make. */
  open(scope: QuestionScope, shown: ShownIdentity): string;
  /**
   * Takes a question out: it can be answered once, whatever the answer is.
   * @returns undefined when the text was not made here, was changed, was taken out before, is too old, or belongs to another call
   */
  take(state: string, scope: QuestionScope): ShownIdentity | undefined;
}

/** How questions are kept. */
export interface SealedOptions {
  /** How long a question can be answered. */
  readonly lifetimeMs: number;
  /** Milliseconds that never go back; the process's own unless given. */
  readonly clock?: () => number;
}

/** Questions that may be open at once; the oldest is given up first. */
const MAX_OPEN = 256;
/** Longest text that is looked at. */
const MAX_STATE = 2_048;
const CIPHER = "aes-256-gcm";
const CONTEXT = Buffer.from("regate/confirm/1");
const [IV_BYTES, TAG_BYTES] = [12, 16];

/** Keeps questions under a key that never leaves this process and ends with it (reference: mcp, results that ask). */
export function createSealedQuestions({ lifetimeMs, clock = () => performance.now() }: SealedOptions): SealedQuestions {
  const key = randomBytes(32);
  const open = new Map<string, number>();
  return {
    open(scope, { epoch, label }) {
      const id = randomUUID();
      open.set(id, clock() + lifetimeMs);
      const oldest = open.size > MAX_OPEN ? open.keys().next().value : undefined;
      if (oldest !== undefined) open.delete(oldest);
      return seal(key, { id, call: digestOf(scope), epoch, label });
    },
    take(state, scope) {
      const claim = unseal(key, state);
      const id = claim?.["id"];
      const expires = typeof id === "string" ? open.get(id) : undefined;
      if (claim === undefined || expires === undefined) return undefined;
      open.delete(id as string);
      if (clock() >= expires || claim["call"] !== digestOf(scope)) return undefined;
      return { epoch: claim["epoch"] as number, label: claim["label"] as string | null };
    },
  };
}

function digestOf({ session, agent, call, policy }: QuestionScope): string {
  const { tool, path, arguments: args } = call;
  return createHash("sha256")
    .update(canonicalJson({ session, agent, tool, path, arguments: args, policy }))
    .digest("hex");
}

function seal(key: Buffer, claim: JsonObject): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(CIPHER, key, iv).setAAD(CONTEXT);
  const text = Buffer.concat([cipher.update(JSON.stringify(claim)), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), text]).toString("base64url");
}

function unseal(key: Buffer, state: string): JsonObject | undefined {
  const bytes = state.length <= MAX_STATE ? Buffer.from(state, "base64url") : Buffer.alloc(0);
  // Decoding forgives much; only the text that was given out is accepted.
  if (bytes.length <= IV_BYTES + TAG_BYTES || bytes.toString("base64url") !== state) return undefined;
  try {
    const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES }).setAAD(CONTEXT);
    decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
    const text = Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]);
    const claim = JSON.parse(text.toString()) as JsonValue;
    return isJsonObject(claim) ? claim : undefined;
  } catch {
    return undefined;
  }
}
