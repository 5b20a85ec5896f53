/** Labels of sandboxes begin with this, and no other label does: who reads a label sees that it is no real profile. */
export const SANDBOX_PREFIX = "sandbox:";

const MAX_LABEL = 64;
const MAX_DESCRIPTION = 200;
const MAX_VALUE = 4_096;
const MAX_PATH = 1_024;

/** Visible characters, single plain spaces inside: nothing that hides, turns or breaks a line. */
const VISIBLE = /^[^\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]+(?: [^\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]+)*$/u;
/** More marks on one letter than any language has. */
const PILE = /\p{M}{5,}/u;

const VARIABLE = /^[A-Za-z][A-Za-z0-9_]{0,127}$/;
/** Variables that make bash, or the loader of every program, find, run or read something else. */
const REFUSED =
  /^(?:PATH|BASH_ENV|ENV|SHELLOPTS|BASHOPTS|BASH_XTRACEFD|PS4|PROMPT_COMMAND|IFS|CDPATH|GLOBIGNORE|POSIXLY_CORRECT|BASH_FUNC_.*|LD_.*|DYLD_.*)$/;

/** A path below the home directory that a profile grants to commands in the sandbox (issue: `$HOME` is empty except for these). */
export interface HomeGrant {
  /** Relative to the home directory; see `isHomePath`. */
  readonly path: string;
  /** Whether commands may write there; else they only read. */
  readonly write: boolean;
}

/** Tells whether a text may be the label of a profile: visible, in one normal form, at most 64 characters. */
export function isLabel(text: string): boolean {
  return isVisibleText(text, MAX_LABEL);
}

/** Tells whether a text may describe a profile; an empty one does not. */
export function isDescription(text: string): boolean {
  return text === "" || isVisibleText(text, MAX_DESCRIPTION);
}

/** Tells whether a profile may give commands a variable of this name: an ordinary one, and none that changes what runs. */
export function isProfileVariable(name: string): boolean {
  return VARIABLE.test(name) && !REFUSED.test(name);
}

/** Tells whether a text may be the value of a variable. */
export function isVariableValue(value: string): boolean {
  return value.length <= MAX_VALUE && !value.includes("\0");
}

/** Tells whether a text names something below the home directory in one way only: no dots, no double or final slash, nothing invisible. */
export function isHomePath(path: string): boolean {
  const parts = path.split("/");
  const isPlain = parts.every((part) => part !== "" && part !== "." && part !== "..") && parts[0] !== "~";
  return isPlain && path.length <= MAX_PATH && path.isWellFormed() && !/\p{C}/u.test(path);
}

function isVisibleText(text: string, max: number): boolean {
  if (text.length > 2 * max || Array.from(text).length > max) return false;
  return VISIBLE.test(text) && !PILE.test(text) && text.normalize("NFC") === text;
}
