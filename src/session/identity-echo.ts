import { textIn } from "./texts/catalogue.ts";

/** Whose data a question to the human is about. */
export interface IdentityEchoOptions {
  /** Label of the active profile, never an internal id; null, or nothing that could be seen, when none is active. */
  readonly activeProfileLabel: string | null;
  /** Language of the echo; English unless given or where there is no text in it. */
  readonly locale?: string;
}

/** Characters that hide, turn, break or space out a line, and letters that look like nothing. */
const UNSEEN = /(?! )[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/gu;
/** More marks on one letter than any language has. */
const PILE = /\p{M}{5,}/gu;
/** A longer label would push the question out of sight. */
const MAX_SHOWN = 200;

/**
 * The line that stands first in a question to the human: the label of the active profile, so that a mismatch is seen, or a neutral
 * placeholder, never an empty name (seed 000). What could disguise the label is shown as a visible escape.
 */
export function identityElicitationEcho({ activeProfileLabel, locale }: IdentityEchoOptions): string {
  const label = shown(activeProfileLabel ?? "");
  if (label.trim() === "") return textIn(locale, "echo.none");
  return textIn(locale, "echo.active").replace("{label}", () => label);
}

function shown(label: string): string {
  const cut = label.length > MAX_SHOWN ? `${label.slice(0, MAX_SHOWN)}…` : label;
  return cut.replace(UNSEEN, escaped).replace(PILE, (marks) => Array.from(marks, escaped).join(""));
}

function escaped(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
