import { z } from "zod";
import { governError } from "./govern-error.ts";
import { MAX_AGENT_ID, SESSION_ID } from "./names.ts";

const MAX_TEXT = 1_000;

/** A session id as every store accepts it: it may name a file. */
export const sessionIdSchema = z.string().regex(SESSION_ID);

/** An agent id. */
export const agentIdSchema = z.string().min(1).max(MAX_AGENT_ID);

/** Why a human decided something: one text that says something. */
export const reasonSchema = z
  .string()
  .max(MAX_TEXT)
  .refine((text) => text.trim() !== "" && text.isWellFormed());

/** Who a call belongs to, as scopes see it. */
export interface Caller {
  readonly sessionId: string;
  readonly agentId: string;
}

/**
 * Checks a value of a store before it is signed.
 * @throws GovernError `govern.invalid` that names the first field that is wrong
 */
export function checked<Value>(schema: z.ZodType<Value>, value: unknown, what: string): Value {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const field = parsed.error.issues[0]?.path.map(String).join(".") ?? "";
  throw governError("govern.invalid", `${what}: ${field === "" ? "it" : `\`${field}\``} is not valid`);
}
