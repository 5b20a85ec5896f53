import { randomBytes } from "node:crypto";
import { isJsonObject, type JsonObject, type JsonValue } from "../call/json.ts";
import type { Withdrawal } from "../call/withdrawal.ts";
import type { SentContext } from "../upstream/link.ts";
import type { Peer, PeerAnswer } from "../upstream/peer.ts";
import { after } from "./deadlines.ts";
import type { GatewayEdge, Owner } from "./gateway-types.ts";
import type { NumberSource } from "../wire/json-source.ts";
import { writeJson } from "../wire/json-writer.ts";
import { metaOf } from "./params-rules.ts";

/** A request of the client that goes to an upstream. */
export interface Forwarded {
  readonly method: string;
  /** As the upstream gets them; absent: none. */
  readonly params: JsonObject | undefined;
  readonly numbers: readonly NumberSource[];
  readonly owner: Owner;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: Withdrawal;
  readonly timeoutMs?: number | undefined;
  readonly context?: SentContext | undefined;
}

/** How it ended; `timeout` and `withdrawn`: the upstream was told to stop. */
export type ForwardEnd = PeerAnswer | { readonly kind: "timeout" } | { readonly kind: "withdrawn" };

/**
 * Sends a request on, with an id of ours, and waits for its answer. The params are the client's, key for key; only a progress token that
 * is in use on that connection is replaced (reference/gateway.md, Pumping).
 */
export function forward(edge: GatewayEdge, peer: Peer<Owner | undefined>, request: Forwarded): Promise<ForwardEnd> {
  const { method, owner, signal, timeoutMs, context } = request;
  if (signal.aborted) return Promise.resolve({ kind: "withdrawn" });
  const { params, token } = withFreeToken(peer, request.params);
  const text = params === undefined ? undefined : writeJson(params, request.numbers, ["params"]);
  return new Promise<ForwardEnd>((resolve) => {
    const stop = (reason: string | undefined): void => {
      if (!peer.forget(flight.id)) return;
      const why = reason === undefined ? "" : `,"reason":${JSON.stringify(reason)}`;
      peer.notify("notifications/cancelled", `{"requestId":${flight.id}${why}}`);
    };
    const settle = (end: ForwardEnd): void => {
      inTime();
      signal.removeEventListener("abort", withdraw);
      resolve(end);
    };
    const withdraw = (): void => {
      stop(edge.reasons.get(owner.key));
      settle({ kind: "withdrawn" });
    };
    const expire = (): void => {
      stop("timed out");
      settle({ kind: "timeout" });
    };
    const inTime = timeoutMs === undefined ? () => undefined : after(timeoutMs, expire);
    signal.addEventListener("abort", withdraw, { once: true });
    const flight = peer.request({ method, owner, settle, params: text, token, context });
  });
}

/** The progress token of a request's params. */
export function tokenOf(params: JsonObject | undefined): JsonValue | undefined {
  return metaOf(params ?? {})["progressToken"];
}

const PREFIX = `regate-${randomBytes(9).toString("hex")}`;
let lastToken = 0;

function withFreeToken(
  peer: Peer<Owner | undefined>,
  params: JsonObject | undefined,
): { params: JsonObject | undefined; token: JsonValue | undefined } {
  const token = tokenOf(params);
  if (token === undefined || peer.byToken(token) === undefined) return { params, token };
  lastToken += 1;
  const free = `${PREFIX}-${lastToken}`;
  const meta = params?.["_meta"];
  return { params: { ...params, _meta: { ...(isJsonObject(meta) ? meta : {}), progressToken: free } }, token: free };
}
