import { z } from "zod";
import type { JsonObject } from "../call/json.ts";
import { isProfileError, profileError } from "../session/profile-error.ts";
import { activeOf } from "../session/profile-document.ts";
import type { ProfileDocument } from "../session/profile-document.ts";
import type { ProfileStore } from "../session/profile-store.ts";
import type { SessionView } from "../session/session.ts";
import { ToolError } from "./tool-error.ts";

/** What the tools around profiles need. */
export interface ProfilePorts {
  readonly profiles: ProfileStore;
}

/** Label of the active profile, or null: the same key in the answer of every tool around profiles (reference: identity gate, §8). */
export const activeProfileSchema = z.string().nullable().describe("label of the active profile; null when none is active");

/**
 * The label that the gate saw when it judged this very call: what a read shows is what it confirms.
 * @throws ToolError when it cannot be known who is active
 */
export function shownProfile({ profile, variables }: SessionView): string | null {
  if (variables === null) throw readable(profileError("profiles.unreadable"));
  return profile.active;
}

/** Runs something on the store; the agent reads what went wrong, without label, id or path. */
export function onStore<Value>(act: () => Value): Value {
  try {
    return act();
  } catch (error) {
    throw readable(error);
  }
}

function readable(error: unknown): unknown {
  return isProfileError(error) ? new ToolError(error.message, { cause: error }) : error;
}

/** The profiles as they may be shown: labels and names of variables, no internal id, no value. */
export function shownProfiles(document: ProfileDocument): JsonObject[] {
  const active = activeOf(document);
  return document.profiles.map((profile) => ({
    label: profile.label,
    active: profile === active,
    sandbox: profile.sandbox,
    description: profile.description,
    variables: Object.keys(profile.environment).sort(),
  }));
}

/** One entry of `shownProfiles`. */
export const shownProfileSchema = z.strictObject({
  label: z.string(),
  active: z.boolean(),
  sandbox: z.boolean(),
  description: z.string(),
  variables: z.array(z.string()).describe("names of the variables that commands get under this profile"),
});
