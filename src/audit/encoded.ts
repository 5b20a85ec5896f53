import { REDACTED } from "./secret-patterns.ts";

/** Runs of the two base64 alphabets, with padding. */
const BASE64 = /[A-Za-z0-9+/_-]{12,}={0,2}/g;
/** Base64 in lines, as `base64` and mail write it. */
const WRAPPED = /(?<![A-Za-z0-9+/])(?:[A-Za-z0-9+/]{60,76}\r?\n)+[A-Za-z0-9+/]{1,76}={0,2}/g;
const HEX = /(?<![A-Za-z0-9])(?:[0-9a-fA-F]{2}){8,}(?![A-Za-z0-9])/g;
const WORD = /[^\s"'<>]+/g;
const PERCENT = /%[0-9A-Fa-f]{2}/;

/**
 * Masks encoded runs whose decoded text has a secret: base64 and base64url, hex, percent-encoding. The whole run goes.
 * @param text any text
 * @param hasSecret judges a decoded text
 */
export function maskEncoded(text: string, hasSecret: (decoded: string) => boolean): string {
  const unwrapped = text.includes("\n") ? text.replace(WRAPPED, (run) => (isBase64Secret(run, hasSecret) ? REDACTED : run)) : text;
  let masked = unwrapped.replace(BASE64, (run) => maskBase64(run, hasSecret));
  masked = masked.replace(HEX, (run) => (judged(Buffer.from(run, "hex"), hasSecret) ? REDACTED : run));
  if (!PERCENT.test(masked)) return masked;
  return masked.replace(WORD, (word) => (PERCENT.test(word) && hasSecret(percentDecoded(word)) ? REDACTED : word));
}

/** A run may also be several: segments of a path, or base64url in a longer word. */
function maskBase64(run: string, hasSecret: (decoded: string) => boolean): string {
  if (isBase64Secret(run, hasSecret)) return REDACTED;
  if (!/[+/]/.test(run)) return run;
  return run.replaceAll(/[^+/]+/g, (part) => (part.length >= 12 && isBase64Secret(part, hasSecret) ? REDACTED : part));
}

function isBase64Secret(run: string, hasSecret: (decoded: string) => boolean): boolean {
  // Encoded text mixes cases and begins like text; most words, numbers and identifiers do not.
  if (!/[A-Z]/.test(run) || !/[a-z]/.test(run) || !isText(Buffer.from(run.slice(0, 8), "base64"))) return false;
  return judged(Buffer.from(run, "base64"), hasSecret);
}

function judged(bytes: Buffer, hasSecret: (decoded: string) => boolean): boolean {
  return isText(bytes) && hasSecret(bytes.toString("utf8"));
}

/** Text has no control characters but white space; bytes that were never text nearly always have some. */
function isText(bytes: Buffer): boolean {
  for (const byte of bytes) {
    if ((byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d) || byte === 0x7f || byte >= 0xf5) return false;
  }
  return bytes.length > 0;
}

function percentDecoded(text: string): string {
  return text.replaceAll(/(?:%[0-9A-Fa-f]{2})+/g, (run) => Buffer.from(run.replaceAll("%", ""), "hex").toString("utf8"));
}
