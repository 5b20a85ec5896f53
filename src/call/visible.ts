/** Control, format, surrogate, private-use and separator characters: what breaks or disguises a line. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu;

/**
 * A caller's text as it may stand inside one of our own lines: characters that could disguise it become escapes such as `\u{202e}`
 * (design §6; trial P09).
 */
export function visible(text: string): string {
  return text.replace(UNSAFE, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}
