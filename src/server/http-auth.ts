import type { IncomingMessage } from "node:http";
import { createLocalJWKSet, createRemoteJWKSet, errors, jwtVerify, type JSONWebKeySet, type JWTPayload, type JWTVerifyGetKey } from "jose";
import type { JsonObject } from "../call/json.ts";
import type { Authenticate, HttpFrontOptions } from "./http-front.ts";
import type { Principal } from "./http-port.ts";
import type { HttpRefusal } from "./http-reply.ts";

/** Which tokens are asked for. */
export interface TokenRules {
  /** `iss`, compared exactly. */
  readonly issuer: string;
  /** Resource identifier without a slash at its end (trial M20). */
  readonly audience: string;
  readonly keys: { readonly set: JsonObject } | { readonly url: string };
  readonly scope?: string;
}

/** Signatures that are accepted: none with a shared secret, none without a key. */
const ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA", "Ed25519"];
/** How far the clocks of issuer and gate may be apart. */
const CLOCK_SKEW_SECONDS = 30;
const FETCH_MS = 5_000;
const MAX_NAME = 256;
const MAX_GROUPS = 200;
const METADATA = "/.well-known/oauth-protected-resource";

/**
 * What a front needs to be an OAuth resource server (RFC 6750, RFC 9728): who sends a request, the metadata for everybody, and the name
 * under which clients reach it. The client's token is looked at here and goes no further.
 * @param note takes one line for stderr
 */
export function tokenParts(
  rules: TokenRules,
  note: (line: string) => void,
): Required<Pick<HttpFrontOptions, "authenticate" | "documents" | "knownNames">> {
  const { host, origin } = new URL(rules.audience);
  const metadata = metadataOf(rules);
  const challenge = `Bearer resource_metadata="${metadata.url}"`;
  return {
    authenticate: authenticator(rules, challenge, note),
    documents: metadata.documents,
    knownNames: { hosts: new Set([host]), origins: new Set([origin]) },
  };
}

function metadataOf({ audience, issuer, scope }: TokenRules): { readonly url: string; readonly documents: ReadonlyMap<string, string> } {
  const { origin, pathname, search } = new URL(audience);
  const path = `${METADATA}${pathname === "/" ? "" : pathname}`;
  const json = JSON.stringify({
    resource: audience,
    authorization_servers: [issuer],
    bearer_methods_supported: ["header"],
    ...(scope === undefined ? {} : { scopes_supported: [scope] }),
  });
  const paths = new Set([METADATA, `${METADATA}/mcp`, path]);
  return { url: `${origin}${path}${search}`, documents: new Map([...paths].map((each) => [each, json])) };
}

function authenticator(rules: TokenRules, challenge: string, note: (line: string) => void): Authenticate {
  const keys = keysOf(rules);
  const denied = (status: number, message: string, error?: string): { readonly refusal: HttpRefusal } => {
    const headers = { "WWW-Authenticate": error === undefined ? challenge : `${challenge}, error="${error}"` };
    return { refusal: { status, message, headers } };
  };
  return async (request) => {
    const sent = request.headersDistinct["authorization"] ?? [];
    if (sent.length > 1) return denied(400, "one `Authorization` header is needed", "invalid_request");
    const token = tokenOf(request);
    if (token === undefined) return denied(401, "a bearer token is needed");
    try {
      const payload = await verified(token, keys, rules);
      const principal = payload === undefined ? undefined : principalOf(payload, rules);
      if (payload === undefined || principal === undefined) return denied(401, "the token is not valid", "invalid_token");
      if (!hasScope(payload, rules.scope))
        return denied(403, "the token lacks a scope", `insufficient_scope", scope="${rules.scope ?? ""}`);
      return { principal, expiresAtMs: Number(payload.exp) * 1_000 };
    } catch (error) {
      note(`http: the keys of the tokens cannot be had: ${error instanceof Error ? error.message : String(error)}`);
      return { refusal: { status: 503, message: "tokens cannot be checked now", headers: { "Retry-After": "10" } } };
    }
  };
}

function keysOf({ keys }: TokenRules): JWTVerifyGetKey {
  if ("set" in keys) return createLocalJWKSet(keys.set as unknown as JSONWebKeySet);
  return createRemoteJWKSet(new URL(keys.url), { timeoutDuration: FETCH_MS });
}

function tokenOf({ headers }: IncomingMessage): string | undefined {
  return /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i.exec(headers.authorization ?? "")?.[1];
}

/** @returns undefined for a token that is not valid. Throws when that could not be found out. */
async function verified(token: string, keys: JWTVerifyGetKey, { issuer, audience }: TokenRules): Promise<JWTPayload | undefined> {
  try {
    const { payload } = await jwtVerify(token, keys, {
      issuer,
      audience: [audience, `${audience}/`],
      algorithms: ALGORITHMS,
      clockTolerance: CLOCK_SKEW_SECONDS,
      requiredClaims: ["exp", "sub"],
    });
    return payload;
  } catch (error) {
    if (isTokensFault(error)) return undefined;
    throw error;
  }
}

/** Whether the token is at fault, and not the way to the keys. */
function isTokensFault(error: unknown): boolean {
  return error instanceof errors.JOSEError && /^ERR_(?:JWT|JWS|JWKS_NO_MATCHING|JWKS_MULTIPLE|JOSE_ALG|JOSE_NOT)_/.test(`${error.code}_`);
}

function principalOf({ sub, client_id: clientId, azp, groups = [] }: JWTPayload, { issuer }: TokenRules): Principal | undefined {
  const client = clientId ?? azp ?? null;
  if (!isName(sub) || (client !== null && !isName(client))) return undefined;
  if (!Array.isArray(groups) || groups.length > MAX_GROUPS || !groups.every(isName)) return undefined;
  return Object.freeze({ issuer, subject: sub, clientId: client, groups: Object.freeze([...new Set(groups)].toSorted()) });
}

function isName(value: unknown): value is string {
  return typeof value === "string" && value !== "" && value.length <= MAX_NAME && value.isWellFormed();
}

function hasScope({ scope }: JWTPayload, needed: string | undefined): boolean {
  return needed === undefined || (typeof scope === "string" && scope.split(" ").includes(needed));
}
