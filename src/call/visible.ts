/** Control, format, surrogate, private-use and unassigned characters, separators but the space, and what is invisible by rule or by design. */
const UNSAFE = /^(?:[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs})$/u;
const MARK = /^\p{M}$/u;
/** More marks on one character than any writing needs grow over the lines around it. */
const MAX_MARKS = 2;
/** Text that is what it looks like: nothing to look at twice. */
const PLAIN = /^[ -[\]-~]*$/;

/**
 * A caller's text as it may stand inside one of our own lines: characters that could disguise it become escapes such as `\u{202e}`
 * (design §6; trial P09). A text that looks like an escape is told from one: its backslash is escaped. Two texts never look the same.
 */
export function visible(text: string): string {
  return PLAIN.test(text) ? text : visiblePieces(text).join("");
}

/** The same in pieces between which a line may be broken: characters with their marks, and escapes. */
export function visiblePieces(text: string): readonly string[] {
  const pieces: string[] = [];
  let marks = MAX_MARKS;
  for (const [at, character] of pointsOf(text)) {
    if (MARK.test(character) && !UNSAFE.test(character) && marks < MAX_MARKS) {
      pieces.push(`${pieces.pop() ?? ""}${character}`);
      marks += 1;
      continue;
    }
    const isHidden = UNSAFE.test(character) || MARK.test(character) || (character === "\\" && text.startsWith("u{", at + 1));
    pieces.push(isHidden ? `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}` : character);
    // A mark on a space or on one of our own characters would not be seen as one.
    marks = isHidden || character === " " ? MAX_MARKS : 0;
  }
  return pieces;
}

function* pointsOf(text: string): Generator<readonly [number, string]> {
  let at = 0;
  for (const character of text) {
    yield [at, character];
    at += character.length;
  }
}
