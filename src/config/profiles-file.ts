import { z } from "zod";
import { parseJsonOnce } from "../call/duplicate-keys.ts";
import { isJsonObject } from "../call/json.ts";
import { isLabel, isProfileVariable, isVariableValue, SANDBOX_PREFIX } from "../call/profile-words.ts";
import { visible } from "../call/visible.ts";
import { ConfigError } from "./config-error.ts";
import { readBoundedFile } from "./read-file.ts";

/** A profile as the operator declares it. */
export interface DeclaredProfile {
  readonly label: string;
  /** Variables that commands get while it is active. */
  readonly environment: Readonly<Record<string, string>>;
}

const MAX_BYTES = 1_048_576;
const MAX_PROFILES = 500;

/** A record drops this one key without a word. */
const UNSEEN_KEY = "__proto__";

const environmentSchema = z
  .unknown()
  .refine((value) => !(isJsonObject(value) && Object.hasOwn(value, UNSEEN_KEY)), "must not set `__proto__`")
  .pipe(
    z.record(
      z.string().refine(isProfileVariable, "is not the name of a variable that a profile may set"),
      z.string("must be a string").refine(isVariableValue, "is too long or holds a NUL"),
      "must be an object of strings",
    ),
  );

const labelSchema = z
  .string("must be a string")
  .refine((label) => isLabel(label) && !label.startsWith(SANDBOX_PREFIX), "must have 1 to 64 visible characters");

const Schema = z.strictObject({
  profiles: z
    .array(z.strictObject({ label: labelSchema, environment: environmentSchema.prefault({}) }), "must be a list")
    .max(MAX_PROFILES, `must not be more than ${MAX_PROFILES}`)
    .refine((profiles) => new Set(profiles.map(({ label }) => label)).size === profiles.length, "must not have one label twice"),
});

/**
 * Reads the file of declared profiles: `{"profiles": [{"label": …, "environment": {…}}]}`, nothing else. No message repeats a label or a value.
 * @param given the path as the user gave it, for messages
 * @throws ConfigError `config.option`
 */
export function readProfilesFile(path: string, given: string): readonly DeclaredProfile[] {
  const refuse = (problem: string, cause?: unknown): ConfigError =>
    new ConfigError("config.option", `profiles file \`${given}\` ${problem}`, { cause });
  const read = readBoundedFile(path, { maxBytes: MAX_BYTES, links: true });
  const parsed = read.ok ? parseJsonOnce(read.text) : read;
  if (!parsed.ok) throw refuse(parsed.problem, parsed.cause);
  const result = Schema.safeParse(parsed.value);
  if (result.success) return result.data.profiles;
  throw refuse(problemOf(result.error.issues[0]));
}

interface Issue {
  readonly code?: string | undefined;
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly keys?: readonly string[];
  /** What is wrong with a key of a record. */
  readonly issues?: readonly { readonly message: string }[];
}

function problemOf(issue: Issue | undefined): string {
  if (issue === undefined) return "is not valid";
  const place = visible(issue.path.map(String).join("."));
  const [unknown] = issue.keys ?? [];
  if (unknown !== undefined) return `has an unknown key \`${visible(unknown)}\``;
  const message = issue.issues?.[0]?.message ?? issue.message;
  return place === "" ? "must hold a JSON object with `profiles`" : `key \`${place}\` ${message}`;
}
