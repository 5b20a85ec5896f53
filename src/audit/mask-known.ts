import { maskEncoded } from "./encoded.ts";
import { REDACTED } from "./secret-patterns.ts";

/** A secret shorter than this is not looked for elsewhere: too many innocent texts would contain it. */
const SHORTEST = 8;
/** Secrets times characters that are compared at most. */
const MAX_WORK = 2 ** 31;

/**
 * The secrets whose copies are worth looking for: long enough, one word, and of mixed characters, so that no file name, command or plain
 * word that a caller also names as its "password" disappears from the log.
 */
export function distinctive(secrets: Iterable<string>): string[] {
  return [...secrets].filter((secret) => isDistinctive(secret)).toSorted((a, b) => b.length - a.length);
}

/**
 * Makes a function that masks copies of known secrets: as they are, percent-encoded, as JSON text, in base64 or hex. It gives back the same
 * string when there is none.
 * @param secrets from `distinctive`
 */
export function knownMasker(secrets: readonly string[]): (text: string) => string {
  const forms = formsOf(secrets);
  return (text) => {
    if (text.length < SHORTEST) return text;
    const masked = forms.reduce((part, form) => part.replaceAll(form, REDACTED), text);
    return maskEncoded(masked, (decoded) => secrets.some((secret) => decoded.includes(secret)));
  };
}

/** Tells whether looking for the secrets in that many characters is affordable. */
export function isAffordable(secrets: readonly string[], characters: number): boolean {
  return secrets.length * characters <= MAX_WORK;
}

function isDistinctive(secret: string): boolean {
  if (secret.length < SHORTEST || secret.startsWith(REDACTED) || /\s/.test(secret)) return false;
  const kinds = [/[a-z]/, /[A-Z]/, /\d/, /[^A-Za-z0-9]/].filter((kind) => kind.test(secret)).length;
  return secret.includes("/") ? kinds >= 3 && secret.length >= 20 && !secret.startsWith("/") : kinds >= 2;
}

/** As it is, and as JSON text has it; other encodings are decoded. */
function formsOf(secrets: readonly string[]): string[] {
  return [...new Set(secrets.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]))];
}
