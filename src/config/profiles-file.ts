import { z } from "zod";
import { parseJsonOnce } from "../call/duplicate-keys.ts";
import { isJsonObject } from "../call/json.ts";
import { type HomeGrant, isHomePath, isLabel, isProfileVariable, isVariableValue, SANDBOX_PREFIX } from "../call/profile-words.ts";
import { ConfigError } from "./config-error.ts";
import { readBoundedFile } from "./read-file.ts";

/** A profile as the operator declares it. */
export interface DeclaredProfile {
  readonly label: string;
  /** Variables that commands get while it is active. */
  readonly environment: Readonly<Record<string, string>>;
  /** What commands see of the home directory while it is active, in the sandbox; absent: nothing. */
  readonly home?: readonly HomeGrant[];
}

const MAX_BYTES = 1_048_576;
const MAX_PROFILES = 500;
const MAX_HOME_PATHS = 64;

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

const pathSchema = z
  .string("must be a string")
  .refine(isHomePath, "must be a path below the home directory, such as `.cache/uv`, written without `~`, `.`, `..` and a final `/`");

const grantSchema = z.preprocess(
  (given) => (typeof given === "string" ? { path: given, write: false } : given),
  z.strictObject({ path: pathSchema, write: z.boolean("must be true or false") }, "must be a path, or an object of `path` and `write`"),
);

const homeSchema = z
  .array(grantSchema, "must be a list")
  .max(MAX_HOME_PATHS, `must not be more than ${MAX_HOME_PATHS}`)
  .refine((grants) => new Set(grants.map(({ path }) => path)).size === grants.length, "must not have one path twice");

const profileSchema = z.strictObject({
  label: labelSchema,
  environment: environmentSchema.prefault({}),
  home: homeSchema.exactOptional(),
});

const Schema = z.strictObject({
  profiles: z
    .array(profileSchema, "must be a list")
    .max(MAX_PROFILES, `must not be more than ${MAX_PROFILES}`)
    .refine((profiles) => new Set(profiles.map(({ label }) => label)).size === profiles.length, "must not have one label twice")
    .superRefine(refuseNested),
});

/** Inside what a command may write it could put a link in the place of what is granted to the next one, under whatever profile. */
function refuseNested(profiles: readonly { readonly home?: readonly HomeGrant[] }[], context: z.RefinementCtx): void {
  const writable = profiles.flatMap(({ home = [] }) => home.filter(({ write }) => write));
  for (const [index, { home = [] }] of profiles.entries()) {
    for (const [at, { path }] of home.entries()) {
      if (!writable.some((grant) => path.startsWith(`${grant.path}/`))) continue;
      context.addIssue({ code: "custom", path: [index, "home", at], message: "must not lie in a path that a profile makes writable" });
    }
  }
}

/**
 * Reads the file of declared profiles: `{"profiles": [{"label": …, "environment": {…}, "home": […]}]}`, nothing else. No message repeats a label or a value.
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
  const place = issue.path.map(String).join(".");
  const [unknown] = issue.keys ?? [];
  if (unknown !== undefined) return `has an unknown key \`${unknown}\``;
  const message = issue.issues?.[0]?.message ?? issue.message;
  return place === "" ? "must hold a JSON object with `profiles`" : `key \`${place}\` ${message}`;
}
