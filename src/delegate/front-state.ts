import { isJsonObject } from "../call/json.ts";
import type { JsonObject, JsonValue } from "../call/json.ts";
import { DelegateError } from "./delegate-error.ts";

/** Who is active in the front's session, where its agent has read it: what the identity gate of a worker goes by (design §6, §9). */
export interface FrontState {
  readonly identity: { readonly identity_confirmed: true; readonly confirmed_profile: string | null; readonly epoch: number };
  readonly profile: { readonly active: string | null };
}

/** The front's session as it judged the call. */
export interface FrontSession {
  readonly identity: { readonly identity_confirmed: boolean; readonly confirmed_profile: string | null; readonly epoch: number };
  readonly profile: { readonly active: string | null };
}

/**
 * Members of a call's context that say so; none while nothing is confirmed. They are part of the fingerprint, and so of the publisher's
 * proof: only a holder of the key can say them, and only of this very call.
 */
export function confirmedContext({ identity, profile }: FrontSession): JsonObject {
  if (!identity.identity_confirmed) return {};
  return { profile: profile.active, session: { confirmed_profile: identity.confirmed_profile, epoch: identity.epoch } };
}

/**
 * Reads them from a context that was proven; undefined where nothing is confirmed.
 * @throws DelegateError `envelope_invalid` for another form
 */
export function frontStateOf(context: JsonObject): FrontState | undefined {
  const { session, profile = null } = context;
  if (session === undefined) return undefined;
  if (!isJsonObject(session) || Object.keys(session).length !== 2 || !isLabel(profile)) throw odd();
  const { confirmed_profile: confirmed, epoch } = session;
  if (!isLabel(confirmed) || typeof epoch !== "number" || !Number.isSafeInteger(epoch) || epoch < 0) throw odd();
  return { identity: { identity_confirmed: true, confirmed_profile: confirmed, epoch }, profile: { active: profile } };
}

function isLabel(value: JsonValue | undefined): value is string | null {
  return value === null || typeof value === "string";
}

function odd(): DelegateError {
  return new DelegateError("envelope_invalid", "`context.session` says nothing about a session");
}
