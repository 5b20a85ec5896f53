import { setTimeout as wait } from "node:timers/promises";
import * as oauth from "oauth4webapi";
import { deviceError } from "./device-error.ts";

/** What a poll needs to know. */
export interface Poll {
  /** Seconds between two requests, as the server said; 5 when it said nothing. */
  readonly interval: number | undefined;
  /** Milliseconds until the device code or the caller's patience ends. */
  readonly patienceMs: number;
  readonly signal: AbortSignal;
  /** Asks for the token once. */
  readonly ask: () => Promise<oauth.TokenEndpointResponse>;
}

const DEFAULT_INTERVAL_S = 5;
const MAX_INTERVAL_S = 60;
const SLOW_DOWN_S = 5;

/**
 * Asks for the token until there is one (RFC 8628 §3.5): never more often than once a second, 5 s slower for good after each `slow_down`,
 * half as often after each answer that did not come. An answer that is not OAuth's (a proxy's page) is waited out. Trial G01.
 * @throws DeviceLoginError
 */
export async function pollForToken({ interval, patienceMs, signal, ask }: Poll): Promise<oauth.TokenEndpointResponse> {
  const until = performance.now() + patienceMs;
  let seconds = Math.max(interval ?? DEFAULT_INTERVAL_S, 1);
  for (;;) {
    if (performance.now() + seconds * 1000 > until) throw deviceError("nobody confirmed the login in time");
    await wait(seconds * 1000, undefined, { signal });
    try {
      return await ask();
    } catch (error) {
      signal.throwIfAborted();
      seconds = nextInterval(error, seconds);
    }
  }
}

function nextInterval(error: unknown, seconds: number): number {
  if (error instanceof oauth.ResponseBodyError && error.status < 500) {
    if (error.error === "authorization_pending") return seconds;
    if (error.error === "slow_down") return seconds + SLOW_DOWN_S;
    throw deviceError(REFUSALS.get(error.error) ?? "the authorization server refused the login", error);
  }
  if (isUnreadable(error)) return seconds;
  if (isUnreached(error)) return Math.min(seconds * 2, MAX_INTERVAL_S);
  throw deviceError("the authorization server gave an answer that cannot be used", error);
}

const REFUSALS: ReadonlyMap<string, string> = new Map([
  ["access_denied", "the login was refused (access_denied)"],
  ["expired_token", "the code expired before anybody confirmed it (expired_token)"],
]);

/** A 5xx, or an answer in another form than OAuth's: a proxy between may be in trouble. */
function isUnreadable(error: unknown): boolean {
  if (error instanceof oauth.ResponseBodyError) return error.status >= 500;
  if (!(error instanceof oauth.OperationProcessingError)) return false;
  const response = error.cause instanceof Response ? error.cause : (error.cause as { response?: unknown } | undefined)?.response;
  return response instanceof Response && (response.status >= 500 || !response.ok);
}

/** What `fetch` says when nothing came back, and when the answer broke off. */
const LOST = new Set(["fetch failed", "terminated"]);

/** Nothing came back, not all of it, or not in time. */
function isUnreached(error: unknown): boolean {
  return (error instanceof TypeError && LOST.has(error.message)) || (error instanceof DOMException && error.name === "TimeoutError");
}
