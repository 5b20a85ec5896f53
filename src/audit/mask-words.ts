import type { JsonValue } from "../call/json.ts";
import type { OnSecret } from "./mask-assignments.ts";
import { maskProgramWords } from "./mask-programs.ts";
import { REDACTED } from "./secret-patterns.ts";
import { isSecretKey } from "./secret-keys.ts";

/**
 * Masks secrets in a list whose items are the words of a command: the word after an option with a secret's name, `name:password` after
 * `-u`, and what single programs take in options with meaningless names. Words that hold a secret by themselves are left to `maskString`.
 * @returns the same array when nothing was masked
 */
export function maskWords(words: readonly JsonValue[], onSecret: OnSecret): readonly JsonValue[] {
  if (words.length < 2) return words;
  const masked = words.map((word, at) => maskWord({ word, before: words[at - 1], onSecret }));
  return maskProgramWords(masked.some((word, at) => word !== words[at]) ? masked : words, onSecret);
}

interface WordInPlace {
  readonly word: JsonValue;
  readonly before: JsonValue | undefined;
  readonly onSecret: OnSecret;
}

function maskWord({ word, before, onSecret }: WordInPlace): JsonValue {
  if (typeof word !== "string" || typeof before !== "string" || !before.startsWith("-") || word === "") return word;
  const option = before.replace(/^-+/, "");
  if (isSecretKey(option) && !word.startsWith("-")) {
    onSecret(word);
    return REDACTED;
  }
  const colon = word.indexOf(":");
  if (!/^(?:u|U|user|proxy-user)$/.test(option) || colon < 0 || colon === word.length - 1) return word;
  onSecret(word.slice(colon + 1));
  return word.slice(0, colon + 1) + REDACTED;
}
