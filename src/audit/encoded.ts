import { alphabetOf, alphanumeric, mapRuns, nextRun, type Run } from "./runs.ts";
import { REDACTED } from "./secret-patterns.ts";

/** Runs of the two base64 alphabets. */
const BASE64 = { alphabet: alphanumeric("+/_-"), shortest: 12 };
/** Base64 in lines, as `base64` and mail write it. */
const WRAPPED = /(?<![A-Za-z0-9+/])(?:[A-Za-z0-9+/]{60,76}\r?\n)+[A-Za-z0-9+/]{1,76}={0,2}/g;
/** A line of `WRAPPED`. */
const LINE = { alphabet: alphanumeric("+/"), shortest: 60 };
const HEX_DIGIT = alphabetOf("0123456789abcdefABCDEF");
/** Words that may be hex: whole bytes, eight or more. */
const HEX = { alphabet: alphanumeric(), shortest: 16 };
const WORD = /[^\s"'<>]+/g;
const PERCENT = /%[0-9A-Fa-f]{2}/;

/**
 * Masks encoded runs whose decoded text has a secret: base64 and base64url, hex, percent-encoding. The whole run goes.
 * @param text any text
 * @param hasSecret judges a decoded text
 */
export function maskEncoded(text: string, hasSecret: (decoded: string) => boolean): string {
  const unwrapped = hasLines(text) ? text.replace(WRAPPED, (run) => (isBase64Secret(run, hasSecret) ? REDACTED : run)) : text;
  let masked = mapRuns(unwrapped, BASE64, { end: endOfPadding, isWorth: hasBothCases, map: (run) => maskBase64(run, hasSecret) });
  masked = mapRuns(masked, HEX, { isWorth: isHex, map: (run) => (judged(Buffer.from(run, "hex"), hasSecret) ? REDACTED : run) });
  if (!PERCENT.test(masked)) return masked;
  return masked.replace(WORD, (word) => (PERCENT.test(word) && hasSecret(percentDecoded(word)) ? REDACTED : word));
}

/** Whether a text has a line that `WRAPPED` could begin with; nearly none has. */
function hasLines(text: string): boolean {
  for (let run = nextRun(text, LINE, 0); run !== undefined; run = nextRun(text, LINE, run.end)) {
    if (run.end - run.start <= 76 && (text[run.end] === "\n" || text.startsWith("\r\n", run.end))) return true;
  }
  return false;
}

/** Base64 ends with up to two `=`. */
function endOfPadding(text: string, { end }: Run): number {
  if (text[end] !== "=") return end;
  return text[end + 1] === "=" ? end + 2 : end + 1;
}

/** A run may also be several: segments of a path, or base64url in a longer word. */
function maskBase64(run: string, hasSecret: (decoded: string) => boolean): string {
  if (isBase64Secret(run, hasSecret)) return REDACTED;
  if (!/[+/]/.test(run)) return run;
  return run.replaceAll(/[^+/]+/g, (part) => (part.length >= 12 && isBase64Secret(part, hasSecret) ? REDACTED : part));
}

function isBase64Secret(run: string, hasSecret: (decoded: string) => boolean): boolean {
  // Encoded text mixes cases and begins like text; most words, numbers and identifiers do not.
  if (!hasBothCases(run, { start: 0, end: run.length }) || !isText(Buffer.from(run.slice(0, 8), "base64"))) return false;
  return judged(Buffer.from(run, "base64"), hasSecret);
}

function hasBothCases(text: string, { start, end }: Run): boolean {
  let [upper, lower] = [false, false];
  for (let at = start; at < end && !(upper && lower); at += 1) {
    const code = text.charCodeAt(at);
    if (code >= 0x61 && code <= 0x7a) lower = true;
    else if (code >= 0x41 && code <= 0x5a) upper = true;
  }
  return upper && lower;
}

/** Whole bytes in hex. */
function isHex(text: string, { start, end }: Run): boolean {
  if ((end - start) % 2 !== 0) return false;
  for (let at = start; at < end; at += 1) if (HEX_DIGIT[text.charCodeAt(at)] !== 1) return false;
  return true;
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
