/** Longest command that is analysed, in UTF-8 bytes (design §7: run_shell refuses more). */
export const MAX_COMMAND_BYTES = 65_536;

// Format characters (bidirectional marks, zero-width, tags), line and paragraph separators: a reader sees another text than bash.
const HIDDEN = /[\p{Cf}\p{Zl}\p{Zp}]/u;
// Control characters that a terminal acts upon; tab, newline and carriage return are ordinary.
// oxlint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F]/;

/** Stands for a character that only disguises: an ordinary character of a word for bash, and in no name that can be relied on. */
export const DISGUISED = "\uFFFD";

/**
 * The same command for the parser alone: each character for which `refuseText` says `control-character` or `hidden-character` becomes
 * `DISGUISED`. To bash they are ordinary characters of a word, so that what runs keeps its structure.
 */
export function undisguised(command: string): string {
  return command.replaceAll(new RegExp(`${CONTROL.source}|${HIDDEN.source}`, "gu"), DISGUISED);
}

/** Why a text cannot be analysed at all, as a rule id, or undefined when it can (reference: shell.md §5.1, trials P09). */
export function refuseText(command: unknown): string | undefined {
  // Callers outside TypeScript may hand anything over.
  if (typeof command !== "string") return "unverifiable.not-text";
  if (command.length > MAX_COMMAND_BYTES || Buffer.byteLength(command) > MAX_COMMAND_BYTES) return "unverifiable.too-long";
  if (/^[ \t\r\n]*$/.test(command)) return "unverifiable.empty";
  if (!command.isWellFormed()) return "unverifiable.not-well-formed";
  if (CONTROL.test(command)) return command.includes("\0") ? "unverifiable.nul" : "unverifiable.control-character";
  if (HIDDEN.test(command)) return "unverifiable.hidden-character";
  return tooManyDocuments(command) ? "unverifiable.too-complex" : undefined;
}

/** The parser's time grows with the square of the number of here-documents. */
function tooManyDocuments(command: string): boolean {
  let count = 0;
  for (let at = command.indexOf("<<"); at !== -1; at = command.indexOf("<<", at + 2)) count++;
  return count > 1000;
}
