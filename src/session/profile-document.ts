import { z } from "zod";
import { parseJsonOnce } from "../call/duplicate-keys.ts";

/** Labels of sandboxes begin with this, and no other label does: who reads a label sees that it is no real profile. */
export const SANDBOX_PREFIX = "sandbox:";

/** So many profiles a store holds at most. */
export const MAX_PROFILES = 500;

const MAX_LABEL = 64;
const MAX_DESCRIPTION = 200;
const MAX_VALUE = 4_096;

/** Visible characters, single plain spaces inside: nothing that hides, turns or breaks a line. */
const VISIBLE = /^[^\p{C}\p{Z}]+(?: [^\p{C}\p{Z}]+)*$/u;
const VARIABLE = /^[A-Za-z][A-Za-z0-9_]*$/;

/** Tells whether a text may be the label of a profile: visible, in one normal form, at most 64 characters. */
export function isLabel(text: string): boolean {
  return isVisibleText(text, MAX_LABEL);
}

/** Tells whether a text may describe a profile; an empty one does not. */
export function isDescription(text: string): boolean {
  return text === "" || isVisibleText(text, MAX_DESCRIPTION);
}

function isVisibleText(text: string, max: number): boolean {
  return text.length <= 2 * max && Array.from(text).length <= max && VISIBLE.test(text) && text.normalize("NFC") === text;
}

/** Variables that a profile gives to commands: ordinary names, never the search path. */
export const environmentSchema = z.record(
  z
    .string()
    .regex(VARIABLE, "is no name of a variable")
    .refine((name) => name !== "PATH", "must not be `PATH`"),
  z
    .string()
    .max(MAX_VALUE)
    .refine((value) => !value.includes("\0"), "must not hold a NUL"),
);

const profileSchema = z.strictObject({
  /** Internal: never shown to a human or an agent (seed 000; design §6). */
  id: z.uuid(),
  label: z.string().refine(isLabel),
  description: z.string().refine(isDescription),
  sandbox: z.boolean(),
  environment: environmentSchema,
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
