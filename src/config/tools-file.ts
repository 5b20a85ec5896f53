import { ConfigError } from "./config-error.ts";
import { readBoundedFile } from "./read-file.ts";

/** Names that an allowlist may hold (seed 003, tool allowlist). */
export const TOOL_NAME = /^[a-zA-Z0-9][a-zA-Z0-9._-]{0,64}$/;
const MAX_BYTES = 65_536;

function isBlank(character: string | undefined): boolean {
  return character === " " || character === "\t";
}

/** Removes outer spaces and tabs and nothing else; a loop, since a pattern would take quadratic time on a long run of blanks. */
function trimBlanks(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text[start])) start += 1;
  while (end > start && isBlank(text[end - 1])) end -= 1;
  return text.slice(start, end);
}

/** The tool name on one line, or nothing: one CR, outer blanks and comments removed (design §4). */
function nameOn(line: string): string {
  const text = trimBlanks(line.endsWith("\r") ? line.slice(0, -1) : line);
  if (text.startsWith("#")) return "";
  const comment = text.search(/[ \t]#/);
  return comment === -1 ? text : trimBlanks(text.slice(0, comment));
}

/**
 * The names of an allowlist (design §4), each once.
 * @throws ConfigError `config.allowlist` with the line number of the first bad name; `file` is the path as the user gave it
 */
export function parseToolNames(text: string, file: string): ReadonlySet<string> {
  const names = new Set<string>();
  for (const [index, line] of text.split("\n").entries()) {
    const name = nameOn(line);
    if (name === "") continue;
    if (!TOOL_NAME.test(name)) {
      const shown = name.length > 80 ? `${name.slice(0, 80)}…` : name;
      throw new ConfigError(
        "config.allowlist",
        `allowlist \`${file}\`: line ${index + 1}: \`${shown}\` is not a tool name: expected one name a line that matches ${TOOL_NAME.source}`,
      );
    }
    names.add(name);
  }
  return names;
}

/**
 * Reads an allowlist once: a regular file of at most 65,536 bytes of UTF-8 (seed 003; design §4).
 * @param path where to read
 * @param file the path as the user gave it, for the message
 * @throws ConfigError `config.allowlist`
 */
export function readToolsFile(path: string, file: string): ReadonlySet<string> {
  const read = readBoundedFile(path, { maxBytes: MAX_BYTES, links: false });
  if (!read.ok) {
    throw new ConfigError("config.allowlist", `allowlist \`${file}\` ${read.problem}: give a regular text file with one tool name a line`, {
      cause: read.cause,
    });
  }
  return parseToolNames(read.text, file);
}
