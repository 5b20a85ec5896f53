/**
 * Turns a shell pattern into a regular expression over one name, with the rules of Go's `filepath.Match`: `*` and `?` stop at a slash,
 * `[a-z]` and `[^a-z]` are classes, a backslash takes the next character as it is.
 * @returns undefined for a pattern that is not well formed, which matches nothing
 */
export function globPattern(pattern: string): RegExp | undefined {
  let source = "";
  for (let at = 0; at < pattern.length; at++) {
    const char = pattern.charAt(at);
    if (char === "*") source += "[^/]*";
    else if (char === "?") source += "[^/]";
    else if (char === "\\") source += escape(pattern.charAt(++at));
    else if (char === "[") {
      const end = pattern.indexOf("]", at + 2);
      if (end < 0) return undefined;
      const inside = pattern.slice(at + 1, end);
      const negated = inside.startsWith("^");
      source += `[${negated ? "^" : ""}${inside.slice(negated ? 1 : 0).replaceAll(/[[\]^]/gu, String.raw`\$&`)}]`;
      at = end;
    } else source += escape(char);
  }
  try {
    return new RegExp(`^${source}$`, "su");
  } catch {
    return undefined;
  }
}

function escape(char: string): string {
  return char.replaceAll(/[\\^$.*+?()[\]{}|/-]/gu, String.raw`\$&`);
}

/** Whether a path has characters that a shell would expand. */
export function hasMagic(path: string): boolean {
  return /[*?[]/u.test(path);
}
