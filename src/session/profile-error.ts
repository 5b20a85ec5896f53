/** Codes of errors of the profile store; callers switch on them. */
export type ProfileErrorCode =
  /** The file is there and cannot be used: unreadable, not private, not a regular file, or not what this program writes. */
  | "profiles.unreadable"
  /** It could not be written. */
  | "profiles.unwritable"
  /** Another process holds the lock. */
  | "profiles.busy"
  | "profiles.unknown_label"
  | "profiles.label_taken"
  | "profiles.label_invalid"
  | "profiles.none_active"
  | "profiles.too_many";

/** An error of the profile store: the message may be shown to the agent, the rest is for the operator. */
export interface ProfileError extends Error {
  readonly code: ProfileErrorCode;
  /** What is wrong with the file, for the operator's eyes; names no value of it. */
  readonly detail?: string;
}

/** What the agent reads, by code; no label and no id is repeated. */
const MESSAGES: Readonly<Record<ProfileErrorCode, string>> = {
  "profiles.unreadable": "profiles: the profile store cannot be read, nothing was executed",
  "profiles.unwritable": "profiles: the profile store cannot be written, nothing was changed",
  "profiles.busy": "profiles: another process is changing the profile store, try again",
  "profiles.unknown_label": "profiles: no profile has this label",
  "profiles.label_taken": "profiles: another profile has this label, or one that reads the same",
  "profiles.label_invalid":
    "profiles: a label has 1 to 64 visible characters, single spaces inside, and begins with `sandbox:` for sandboxes only",
  "profiles.none_active": "profiles: no profile is active",
  "profiles.too_many": "profiles: there are too many profiles",
};

/** Makes an error of the profile store. */
export function profileError(code: ProfileErrorCode, parts: { readonly detail?: string; readonly cause?: unknown } = {}): ProfileError {
  const { detail, cause } = parts;
  const error = new Error(MESSAGES[code], cause === undefined ? {} : { cause });
  return Object.assign(error, { code, ...(detail === undefined ? {} : { detail }) });
}

/** Tells whether an error is one of the profile store's own. */
export function isProfileError(error: unknown): error is ProfileError {
  return error instanceof Error && "code" in error && typeof error.code === "string" && Object.hasOwn(MESSAGES, error.code);
}
