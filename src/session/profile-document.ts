import { z } from "zod";
import { parseJsonOnce } from "../call/duplicate-keys.ts";
import { isDescription, isLabel, isProfileVariable, isVariableValue, SANDBOX_PREFIX } from "../call/profile-words.ts";

/** So many profiles a store holds at most. */
export const MAX_PROFILES = 500;

const profileSchema = z.strictObject({
  /** Internal: never shown to a human or an agent (seed 000; design §6). */
  id: z.uuid(),
  label: z.string().refine(isLabel),
  description: z.string().refine(isDescription),
  sandbox: z.boolean(),
  environment: z.record(z.string().refine(isProfileVariable), z.string().refine(isVariableValue)),
  /** Label under which the operator's file declares it; a renamed profile is found again by it. */
  provisioned: z.string().refine(isLabel).nullable(),
});

const documentSchema = z
  .strictObject({
    format: z.literal(1),
    active: z.uuid().nullable(),
    /** How often a profile has been made the active one, by whatever process. */
    switches: z.int().nonnegative(),
    profiles: z.array(profileSchema).max(MAX_PROFILES),
  })
  .refine(({ profiles }) => new Set(profiles.map(({ id }) => id)).size === profiles.length)
  .refine(({ profiles }) => new Set(profiles.map(({ label }) => label)).size === profiles.length)
  .refine(({ profiles }) => profiles.every(({ label, sandbox }) => label.startsWith(SANDBOX_PREFIX) === sandbox))
  .refine(({ active, profiles }) => active === null || profiles.some(({ id }) => id === active));

/** One named identity. */
export type Profile = Readonly<z.infer<typeof profileSchema>>;

/** The whole store, as it stands in its file. */
export interface ProfileDocument {
  readonly format: 1;
  /** Internal id of the active profile. */
  readonly active: string | null;
  readonly switches: number;
  readonly profiles: readonly Profile[];
}

/** A store without profiles. */
export const NO_PROFILES: ProfileDocument = Object.freeze({ format: 1, active: null, switches: 0, profiles: Object.freeze([]) });

/** Reads the text of the file; undefined unless it is exactly what this program writes. */
export function parseProfiles(text: string): ProfileDocument | undefined {
  const parsed = parseJsonOnce(text);
  const checked = parsed.ok ? documentSchema.safeParse(parsed.value) : undefined;
  return checked?.success === true ? checked.data : undefined;
}

/** The text of the file. */
export function writeProfiles(document: ProfileDocument): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** The active profile of a store. */
export function activeOf({ active, profiles }: ProfileDocument): Profile | undefined {
  return active === null ? undefined : profiles.find(({ id }) => id === active);
}
