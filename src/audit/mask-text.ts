import { maskAssignments } from "./mask-assignments.ts";
import type { OnSecret } from "./mask-assignments.ts";
import { maskPrograms } from "./mask-programs.ts";
import { mapRuns } from "./runs.ts";
import { REDACTED, SIGNATURES, TOKENS, TOKEN_RUNS, WEB_TOKENS } from "./secret-patterns.ts";

/** Nothing that a rule would find is shorter. */
const SHORTEST = 6;
/** Some rule can only match a text that has one of these. */
const TRIGGER =
  /pass|pwd|secret|token|key|auth|cookie|cred|bearer|basic|otp|jwt|identified|:\/\/|-----BEGIN|[A-Za-z0-9+/_.=-]{12}|(?:^|\s)-[uUpPaw]|<\//i;
const BEARER = /(?<![A-Za-z0-9])bearer[ \t]{1,8}(?=([A-Za-z0-9._~+/=-]+))/gi;
const BASIC = /(?<![A-Za-z0-9])basic[ \t]{1,8}(?=([A-Za-z0-9+/_-]{4,}={0,2}))/gi;
const KEY_BEGIN = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;

/**
 * Masks every secret that the text itself gives away: private keys, user information of URLs, tokens of known forms, bearer and basic
 * credentials, values of secret names, secret options of known programs. Time is linear in the text's length, whatever it holds.
 * @param text any text
 * @param onSecret told each secret that was masked
 * @returns the text with `[REDACTED]` in the place of each secret; the same string when there is none
 */
export function maskText(text: string, onSecret: OnSecret): string {
  if (text.length < SHORTEST || !TRIGGER.test(text)) return text;
  let masked = text.includes("PRIVATE KEY") ? maskPrivateKeys(text, onSecret) : text;
  if (masked.includes("://")) masked = maskUserInfo(masked, onSecret);
  masked = maskTokens(masked, onSecret);
  if (masked.includes("ig=") || masked.includes("ignature=")) masked = maskMatches(masked, SIGNATURES, onSecret);
  if (masked.includes("eyJ")) masked = maskMatches(masked, WEB_TOKENS, onSecret);
  masked = maskAssignments(masked, onSecret);
  masked = maskAfter(masked, BEARER, (value) => (looksLikeToken(value) ? onSecret : undefined));
  masked = maskAfter(masked, BASIC, (value) => (isBasicCredential(value) ? onSecret : undefined));
  return maskPrograms(masked, onSecret);
}

/** Tokens of known forms; they are looked for in the words that are long enough for one. */
function maskTokens(text: string, onSecret: OnSecret): string {
  return mapRuns(text, TOKEN_RUNS, { map: (run) => maskMatches(run, TOKENS, onSecret) });
}

function maskMatches(text: string, pattern: RegExp, onSecret: OnSecret): string {
  return text.replace(pattern, (secret) => {
    onSecret(secret);
    return REDACTED;
  });
}

/** Replaces what the pattern's lookahead captured, when `judge` gives someone to tell it to. */
function maskAfter(text: string, pattern: RegExp, judge: (value: string) => OnSecret | undefined): string {
  let out = "";
  let done = 0;
  for (const match of text.matchAll(pattern)) {
    const value = match[1] ?? "";
    const start = match.index + match[0].length;
    const tell = start < done ? undefined : judge(value);
    if (tell === undefined) continue;
    tell(value);
    out += text.slice(done, start) + REDACTED;
    done = start + value.length;
  }
  return done === 0 ? text : out + text.slice(done);
}

/** `bearer of news` is prose: a credential is longer or has a digit or a capital in it. */
function looksLikeToken(value: string): boolean {
  return value.length >= 16 || /\d|[A-Z]|[._~+/=-]./.test(value);
}

function isBasicCredential(value: string): boolean {
  const decoded = Buffer.from(value, "base64").toString("latin1");
  return decoded.includes(":") && !/[^\x20-\x7e\x80-\xff]/.test(decoded);
}

/** A key without its end (cut text) is masked to the end of the text. */
function maskPrivateKeys(text: string, onSecret: OnSecret): string {
  let out = "";
  let done = 0;
  for (const match of text.matchAll(KEY_BEGIN)) {
    if (match.index < done) continue;
    const begin = match.index + match[0].length;
    const end = text.indexOf("-----END ", begin);
    const stop = end < 0 ? text.length : endOfMark(text, end);
    onSecret(text.slice(begin, end < 0 ? text.length : end));
    out += text.slice(done, match.index) + REDACTED;
    done = stop;
  }
  return done === 0 ? text : out + text.slice(done);
}

function endOfMark(text: string, end: number): number {
  const close = text.indexOf("-----", end + "-----END ".length);
  return close < 0 || close - end > 80 ? text.length : close + "-----".length;
}

/** How far user information may reach beyond a slash in it, which is not allowed there but common in passwords. */
const REACH = 256;
const AUTHORITY = /[^\s"'<>`\\/?#]*/y;
const AUTHORITY_WITH_SLASHES = new RegExp(`[^\\s"'<>\`\\\\]{0,${REACH}}`, "y");

/** `scheme://user:password@host`: the whole user information goes, since the user part may be the secret (`https://TOKEN:@host`). */
function maskUserInfo(text: string, onSecret: OnSecret): string {
  let out = "";
  let done = 0;
  for (let mark = text.indexOf("://"); mark >= 0; mark = text.indexOf("://", mark + 3)) {
    const start = mark + 3;
    const info = userInfoAt(text, start);
    if (start < done || info === undefined) continue;
    for (const part of info.split(":")) onSecret(part);
    out += text.slice(done, start) + REDACTED;
    done = start + info.length;
  }
  return done === 0 ? text : out + text.slice(done);
}

function userInfoAt(text: string, start: number): string | undefined {
  AUTHORITY.lastIndex = start;
  const authority = AUTHORITY.exec(text)?.[0] ?? "";
  const at = authority.lastIndexOf("@");
  if (at >= 0) return isSecretUserInfo(authority.slice(0, at)) ? authority.slice(0, at) : undefined;
  // A colon that no port number follows: the password goes on behind a slash.
  if (!/:(?!\d*$)/.test(authority)) return undefined;
  AUTHORITY_WITH_SLASHES.lastIndex = start;
  const reach = AUTHORITY_WITH_SLASHES.exec(text)?.[0] ?? "";
  const far = reach.lastIndexOf("@");
  return far < 0 ? undefined : reach.slice(0, far);
}

/** A user name alone is no secret unless it is as long as a token. */
function isSecretUserInfo(info: string): boolean {
  return info !== REDACTED && (info.includes(":") || info.length >= 20);
}
