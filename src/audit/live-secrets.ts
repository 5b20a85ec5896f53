import { maskEncoded } from "./encoded.ts";
import { REDACTED } from "./secret-patterns.ts";
import { maskSkeletons, skeletonOf, withoutSkeletonTail } from "./skeleton.ts";

/** So many secrets are remembered; those that were handed out longest ago go first. */
const MAX_SECRETS = 256;
/** So many characters of a form must stand at the end of an output that was cut for it to be taken away. */
const MIN_TAIL = 4;

/** Shortest piece of a secret that is looked for by itself. */
const MIN_FORM = 8;

interface Forms {
  /** Looked for as they are. */
  readonly exact: readonly string[];
  /** Looked for whatever quotes, escapes, cases and line ends a program gives them (`skeletonOf`). */
  readonly skeletons: readonly string[];
}

/** Secrets that this process has handed to commands, each with the forms in which it is looked for. */
const live = new Map<string, Forms>();

/**
 * Remembers a secret that was handed to a command: the redactor masks it at every exit as long as this process lives (design §8, leases; trials E05).
 * @param secret at least eight characters
 */
export function rememberSecret(secret: string): void {
  const forms = live.get(secret) ?? formsOf(secret);
  // Behind all others: it is the one that was handed out last.
  live.delete(secret);
  live.set(secret, forms);
  const [oldest] = live.keys();
  if (live.size > MAX_SECRETS && oldest !== undefined) live.delete(oldest);
}

/** Whether there is any secret to look for. */
export function hasLiveSecrets(): boolean {
  return live.size > 0;
}

/**
 * Masks the secrets that were remembered: as they are, as JSON text, in base64 and base64url at every alignment, in hex, percent-encoded, and inside longer
 * encoded runs; and whatever quotes, escapes, cases, blanks and line ends a program puts into any of these.
 * @returns the same string when there is none
 */
export function maskLiveSecrets(text: string, { isCut }: { readonly isCut: boolean } = { isCut: false }): string {
  if (live.size === 0 || text === "") return text;
  let masked = text;
  for (const { exact } of live.values()) for (const form of exact) masked = masked.replaceAll(form, REDACTED);
  const skeletons = [...live.values()].flatMap((forms) => forms.skeletons);
  masked = maskSkeletons(masked, skeletons, REDACTED);
  if (isCut) masked = withoutSkeletonTail(masked, skeletons, { least: MIN_TAIL, replacement: REDACTED });
  const secrets = [...live.keys()];
  return maskEncoded(masked, (decoded) => secrets.some((secret) => decoded.includes(secret)));
}

function formsOf(secret: string): Forms {
  const bytes = Buffer.from(secret, "utf8");
  const hex = bytes.toString("hex");
  const percent = hex.replaceAll(/../g, "%$&");
  const spaced = hex.replaceAll(/..(?=.)/g, "$& ");
  const forms = [
    secret,
    JSON.stringify(secret).slice(1, -1),
    ...[0, 1, 2].flatMap((before) => base64Core(bytes, before)),
    ...[hex, percent, spaced].flatMap((form) => [form, form.toUpperCase()]),
    encodeURIComponent(secret.toWellFormed()),
    new URLSearchParams({ x: secret }).toString().slice(2),
    // A program that prints a secret of several lines may indent each.
    ...secret.split(/\r?\n/).filter((line) => line.length >= MIN_FORM),
  ];
  return { exact: longestFirst(forms), skeletons: longestFirst(forms.map((form) => skeletonOf(form).bytes)) };
}

function longestFirst(forms: readonly string[]): readonly string[] {
  return [...new Set(forms)].filter((form) => form.length >= MIN_FORM).toSorted((a, b) => b.length - a.length);
}

/** The characters of a secret's base64 that are the same whatever stands before and after it. */
function base64Core(bytes: Buffer, before: number): readonly string[] {
  const whole = Buffer.concat([Buffer.alloc(before), bytes]);
  const text = whole.toString("base64").replace(/=+$/, "");
  const core = text.slice(before === 0 ? 0 : before + 1, whole.length % 3 === 0 ? undefined : -1);
  return [core, core.replaceAll("+", "-").replaceAll("/", "_")];
}
