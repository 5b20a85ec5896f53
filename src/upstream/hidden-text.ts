import type { JsonValue } from "../call/json.ts";

/**
 * Characters that a human does not see and a model reads (reference/gateway.md, Pins). U+200C and U+200D are allowed: emoji, Persian and
 * Hindi need them.
 */
const HIDDEN =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/u; // oxlint-disable-line no-control-regex

/** Tells whether a string anywhere in a value, keys too, holds a hidden character. */
export function holdsHiddenText(value: JsonValue | undefined): boolean {
  if (typeof value === "string") return HIDDEN.test(value);
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return value.some(holdsHiddenText);
  return Object.entries(value).some(([key, member]) => HIDDEN.test(key) || holdsHiddenText(member));
}
