import { parseJsonOnce } from "../call/duplicate-keys.ts";
import { isJsonObject, type JsonObject } from "../call/json.ts";
import { ConfigError } from "./config-error.ts";
import { readBoundedFile } from "./read-file.ts";
import type { Setting } from "./setting.ts";
import { pathOf, pick, type Picked, type Sources } from "./sources.ts";

/** Which bearer tokens open the HTTP front (docs/http.md, tokens). */
export interface TokenOptions {
  /** `iss` of the tokens, compared exactly. */
  readonly issuer: string;
  /** The resource identifier: `aud` of the tokens, without the one slash at its end that makes no difference (trial M20). */
  readonly audience: string;
  /** Public keys of the issuer, or where they are fetched. */
  readonly keys: { readonly set: JsonObject } | { readonly url: string };
  /** A scope that every token must have. */
  readonly scope?: string;
}

const MAX_KEYS_BYTES = 262_144;

function isLoopbackName(host: string): boolean {
  return host === "localhost" || host === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(host);
}

function urlProblem(value: string): string | undefined {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  const isSafe = url?.protocol === "https:" || (url?.protocol === "http:" && isLoopbackName(url.hostname));
  if (url === undefined || !isSafe || url.username !== "" || url.hash !== "") return "must be an https URL, or an http one of this machine";
  return undefined;
}

/** The settings of bearer tokens. */
export const TOKEN_SETTINGS = {
  authIssuer: {
    name: "auth-issuer",
    kind: "text",
    env: ["REGATE_AUTH_ISSUER"],
    placeholder: "URL",
    describe: "issuer of the bearer tokens that HTTP clients need (default: no tokens, and then loopback addresses only)",
    problem: urlProblem,
  },
  authAudience: {
    name: "auth-audience",
    kind: "text",
    env: ["REGATE_AUTH_AUDIENCE"],
    placeholder: "URL",
    describe: "audience of the tokens: the address under which clients know this endpoint",
    problem: urlProblem,
  },
  authJwksFile: {
    name: "auth-jwks-file",
    kind: "text",
    env: ["REGATE_AUTH_JWKS_FILE"],
    placeholder: "FILE",
    describe: "public keys of the issuer, as a JSON Web Key Set",
  },
  authJwksUrl: {
    name: "auth-jwks-url",
    kind: "text",
    env: ["REGATE_AUTH_JWKS_URL"],
    placeholder: "URL",
    describe: "where the public keys of the issuer are fetched, in place of a file",
    problem: urlProblem,
  },
  authScope: {
    name: "auth-scope",
    kind: "text",
    env: ["REGATE_AUTH_SCOPE"],
    placeholder: "SCOPE",
    describe: "scope that every token must have (default: none)",
    problem: (value) => (/^[\u0021\u0023-\u005b\u005d-\u007e]{1,128}$/.test(value) ? undefined : "must be one scope token"),
  },
} as const satisfies Record<string, Setting>;

/** What is set of the tokens, each by itself; nothing is read yet. */
export interface TokenPicks {
  readonly issuer?: string;
  readonly audience?: string;
  readonly jwksFile?: string;
  readonly jwksUrl?: string;
  readonly scope?: string;
}

/** The settings of tokens as they stand, for what need not know whether they make a whole. */
export function tokenPicks(sources: Sources): TokenPicks {
  const { issuer, audience, file, url, scope } = picksOf(sources);
  return Object.freeze({
    ...(issuer === undefined ? {} : { issuer: issuer.value }),
    ...(audience === undefined ? {} : { audience: audience.value }),
    ...(file === undefined ? {} : { jwksFile: pathOf(file) }),
    ...(url === undefined ? {} : { jwksUrl: url.value }),
    ...(scope === undefined ? {} : { scope: scope.value }),
  });
}

function picksOf(sources: Sources) {
  return {
    issuer: pick(TOKEN_SETTINGS.authIssuer, sources),
    audience: pick(TOKEN_SETTINGS.authAudience, sources),
    file: pick(TOKEN_SETTINGS.authJwksFile, sources),
    url: pick(TOKEN_SETTINGS.authJwksUrl, sources),
    scope: pick(TOKEN_SETTINGS.authScope, sources),
  };
}

/**
 * Which tokens are asked for; undefined when no setting of tokens is set.
 * @throws ConfigError `config.option` when only a part is set, or the keys cannot be used
 */
export function tokenOptions(sources: Sources): TokenOptions | undefined {
  const { issuer, audience, file, url, scope } = picksOf(sources);
  const given = [issuer, audience, file, url, scope].find((each) => each !== undefined);
  if (given === undefined) return undefined;
  if (issuer === undefined) throw missing(given, "`--auth-issuer`");
  if (audience === undefined) throw missing(given, "`--auth-audience`");
  if (file !== undefined && url !== undefined) {
    throw new ConfigError("config.option", `${file.from} and ${url.from} are both set: give the keys as a file or by their address`);
  }
  const keys = file === undefined ? url && { url: url.value } : { set: readKeys(file) };
  if (keys === undefined) throw missing(given, "`--auth-jwks-file` or `--auth-jwks-url`");
  return Object.freeze({
    issuer: issuer.value,
    audience: audience.value.replace(/\/$/, ""),
    keys: Object.freeze(keys),
    ...(scope === undefined ? {} : { scope: scope.value }),
  });
}

function missing({ from }: Picked, needed: string): ConfigError {
  return new ConfigError("config.option", `${from} is set, and ${needed} is not: tokens need an issuer, an audience and keys`);
}

function readKeys(picked: Picked): JsonObject {
  const read = readBoundedFile(pathOf(picked), { maxBytes: MAX_KEYS_BYTES, links: true });
  const parsed = read.ok ? parseJsonOnce(read.text) : read;
  if (!parsed.ok) throw keysError(picked, parsed.problem, parsed.cause);
  const keys = isJsonObject(parsed.value) ? parsed.value["keys"] : undefined;
  if (!isJsonObject(parsed.value) || !Array.isArray(keys) || keys.length === 0) throw keysError(picked, "must hold a JSON Web Key Set");
  const isPublic = keys.every((key) => isJsonObject(key) && !["oct", undefined].includes(key["kty"] as string) && key["d"] === undefined);
  if (!isPublic) throw keysError(picked, "must hold public keys only");
  return parsed.value;
}

function keysError({ value }: Picked, problem: string, cause?: unknown): ConfigError {
  return new ConfigError("config.option", `key set \`${value}\` ${problem}`, { cause });
}
