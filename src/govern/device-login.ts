import { randomUUID } from "node:crypto";
import * as oauth from "oauth4webapi";
import { deviceError, isDeviceError } from "./device-error.ts";
import type { DeviceLoginError } from "./device-error.ts";
import { type BoundedFetch, boundedFetch, isAllowedUrl, isPlainHttp } from "./device-http.ts";
import { pollForToken } from "./device-poll.ts";
import { userOf } from "./device-user.ts";
import { parseDuration } from "./duration.ts";
import { checkTokenPlace, storeToken } from "./token-file.ts";
import type { StoredToken } from "./token-file.ts";

/** The authorization server, from settings alone: no argument of an agent names one. */
export interface DeviceIssuer {
  readonly issuer: string;
  readonly clientId: string;
  readonly scope: string;
}

/** What the human is shown. */
export interface LoginNotice {
  readonly id: string;
  readonly message: string;
  readonly url: string;
}

/** What a login needs beside the wish for it. */
export interface DeviceLoginParts {
  /** Absent: nobody configured one. */
  readonly issuer?: DeviceIssuer | undefined;
  /** The user was authenticated on the way in: no login may replace that. */
  readonly isAuthenticated?: boolean | undefined;
  readonly stateDir: string;
  readonly sessionId: string;
  /** Shows code and address to the human; false when the human declines. */
  readonly show: (notice: LoginNotice, signal: AbortSignal) => Promise<boolean>;
  /** Says who the session belongs to now. */
  readonly identify: (user: string) => void;
}

const DEFAULT_DURATION = "10m";
/** RFC 8628 leaves the form open; what is shown to a human is short and plain. */
const USER_CODE = /^[\x21-\x7e](?:[\x20-\x7e]{0,62}[\x21-\x7e])?$/;
/** RFC 6750 §2.1, and no larger than any header. */
const BEARER = /^[A-Za-z0-9._~+/-]+=*$/;
const MAX_BEARER = 16_384;

/**
 * Logs the session's human in by the device flow of RFC 8628 (seed 003; design §8): the bearer goes into a file 0600 and nowhere else, and the
 * session gets the user's name with no groups. The duration is judged before anything is dialled.
 * @param wish `duration`: how long the human may take, such as `10m`
 * @throws DeviceLoginError for everything that fails; the reason of the signal when it is aborted
 */
export async function deviceLogin(
  parts: DeviceLoginParts,
  wish: { readonly duration?: string; readonly signal: AbortSignal },
): Promise<StoredToken> {
  const { duration = DEFAULT_DURATION } = wish;
  const patienceMs = parseDuration(duration);
  if (patienceMs === undefined) throw deviceError("the duration must be above zero and at most 24h, such as `10m`");
  if (parts.isAuthenticated === true) throw deviceError("the user of this session was authenticated by its token and cannot be replaced");
  if (parts.issuer === undefined) throw deviceError("no authorization server is configured");
  checkTokenPlace(parts.stateDir, parts.sessionId);
  const ended = new AbortController();
  const signal = AbortSignal.any([wish.signal, ended.signal]);
  try {
    return await login(parts, { issuer: parts.issuer, patienceMs, signal, end: (why) => ended.abort(why) });
  } catch (error) {
    wish.signal.throwIfAborted();
    const why: unknown = ended.signal.aborted ? ended.signal.reason : error;
    throw isDeviceError(why) ? why : deviceError("the authorization server gave no usable answer", why);
  } finally {
    // Whoever is still asked need not answer any more.
    ended.abort();
  }
}

interface Login {
  readonly issuer: DeviceIssuer;
  readonly patienceMs: number;
  readonly signal: AbortSignal;
  /** Ends the login for a reason that did not come from the authorization server. */
  readonly end: (why: DeviceLoginError) => void;
}

async function login(parts: DeviceLoginParts, { issuer, patienceMs, signal, end }: Login): Promise<StoredToken> {
  const started = performance.now();
  const options = { [oauth.customFetch]: boundedFetch(signal), [oauth.allowInsecureRequests]: isPlainHttp(issuer.issuer) };
  const client: oauth.Client = { client_id: issuer.clientId };
  const server = await discover(issuer.issuer, options);
  const asked = await oauth.deviceAuthorizationRequest(server, client, oauth.None(), { scope: issuer.scope }, options);
  const device = await oauth.processDeviceAuthorizationResponse(server, client, await withInterval(asked));
  const notice = noticeOf(device);
  void showTo(parts, { notice, signal, end });
  const leftMs = patienceMs - (performance.now() - started);
  const token = await pollForToken({
    interval: device.interval,
    patienceMs: Math.min(leftMs, device.expires_in * 1000),
    signal,
    async ask() {
      const answer = await oauth.deviceCodeGrantRequest(server, client, oauth.None(), device.device_code, options);
      return oauth.processDeviceCodeResponse(server, client, answer);
    },
  });
  const bearer = token.access_token;
  if (token.token_type !== "bearer" || bearer.length > MAX_BEARER || !BEARER.test(bearer))
    throw deviceError("the token is no bearer token");
  const user = await userOf({ server, client, token, options });
  signal.throwIfAborted();
  const stored = storeToken(parts.stateDir, parts.sessionId, bearer);
  parts.identify(user);
  return stored;
}

async function showTo(
  { show }: DeviceLoginParts,
  { notice, signal, end }: Pick<Login, "signal" | "end"> & { readonly notice: LoginNotice },
): Promise<void> {
  try {
    if (!(await show(notice, signal))) end(deviceError("the human declined"));
  } catch (error) {
    end(deviceError("the code could be shown to nobody", error));
  }
}

interface RequestOptions {
  readonly [oauth.customFetch]: BoundedFetch;
  readonly [oauth.allowInsecureRequests]: boolean;
}

async function discover(issuer: string, options: RequestOptions): Promise<oauth.AuthorizationServer> {
  const url = new URL(issuer);
  for (const algorithm of ["oidc", "oauth2"] as const) {
    const response = await oauth.discoveryRequest(url, { ...options, algorithm });
    if (response.status !== 404 || algorithm === "oauth2") return checked(await oauth.processDiscoveryResponse(url, response));
  }
  throw deviceError("the authorization server describes itself nowhere");
}

/** Every endpoint that is used must be as safe as the issuer: what is on another machine is https. */
function checked(server: oauth.AuthorizationServer): oauth.AuthorizationServer {
  const needed = [server.device_authorization_endpoint, server.token_endpoint];
  const optional = [server.userinfo_endpoint].filter((endpoint) => endpoint !== undefined);
  if (![...needed, ...optional].every(isAllowedUrl)) throw deviceError("the authorization server names no endpoints that can be used");
  return server;
}

/** An interval of 0 or less would be a busy loop, and the library refuses it: it counts as the smallest (trial G01). */
async function withInterval(response: Response): Promise<Response> {
  const text = await response.clone().text();
  try {
    const body = JSON.parse(text) as { interval?: unknown };
    if (typeof body.interval !== "number" || body.interval > 0) return response;
    return new Response(JSON.stringify({ ...body, interval: 1 }), { status: response.status, headers: response.headers });
  } catch {
    return response;
  }
}

function noticeOf(device: oauth.DeviceAuthorizationResponse): LoginNotice {
  const { user_code: code, verification_uri: address, verification_uri_complete: complete } = device;
  if (!USER_CODE.test(code) || !isAllowedUrl(address))
    throw deviceError("the authorization server gave a code or an address that cannot be shown");
  const url = isAllowedUrl(complete) && new URL(complete).origin === new URL(address).origin ? complete : address;
  return { id: randomUUID(), url, message: `Log in for this session: open ${address} and enter the code ${code}` };
}
