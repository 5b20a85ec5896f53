import { isJsonObject, type JsonObject } from "../call/json.ts";
import type { ClientFacts } from "../session/session.ts";
import { clientFacts } from "./client-facts.ts";
import { passesNotice } from "./notice.ts";
import { metaOf } from "./params-rules.ts";
import { MODERN_META } from "./protocol-keys.ts";
import { RPC, rpcError, type RpcError, type RpcReply } from "./rpc.ts";
import type { ScreenedRequest } from "./screen.ts";

/** The stateless revisions that are spoken; newest first. */
export const MODERN_VERSIONS: readonly string[] = ["2026-07-28"];

/** How long a client may keep a list: short, since a filtered list outlives a revocation by this time (reference/mcp.md §2.4). */
const TTL_MS = 5_000;
const LOG_LEVELS: ReadonlySet<unknown> = new Set(["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"]);

/**
 * Tells whether a request belongs to revision 2026-07-28: it carries a key of its `_meta` envelope, or it is server/discover, which no
 * older revision has. `initialize` always opens the legacy era (reference/mcp.md §2.5).
 */
export function isModern({ method, params }: ScreenedRequest): boolean {
  if (method === "initialize") return false;
  if (method === "server/discover") return true;
  if (params?.["_meta"] === undefined) return false;
  const meta = metaOf(params);
  return Object.values(MODERN_META).some((key) => Object.hasOwn(meta, key));
}

/**
 * Checks the envelope of a modern request. A server/discover without any `_meta` is a host's first probe and needs none.
 * @returns what the client says about itself, or the error to answer with: -32022 for another version, -32602 for what is missing or
 *   malformed (reference/mcp.md §2.1)
 */
export function modernClient({ method, params }: ScreenedRequest): { readonly facts: ClientFacts } | { readonly error: RpcError } {
  if (method === "server/discover" && !Object.hasOwn(params ?? {}, "_meta")) return { facts: clientFacts({}, {}) };
  const meta = metaOf(params ?? {});
  const requested = own(meta, MODERN_META.protocolVersion);
  if (typeof requested === "string" && !MODERN_VERSIONS.includes(requested)) {
    return rpcError(RPC.unsupportedVersion, "unsupported protocol version", { supported: [...MODERN_VERSIONS], requested });
  }
  const broken = Object.entries(ENVELOPE).find(([key, fits]) => !fits(own(meta, key)));
  if (broken) return rpcError(RPC.invalidParams, `\`_meta\`: \`${broken[0]}\` is missing or malformed`);
  return { facts: clientFacts(own(meta, MODERN_META.clientCapabilities), own(meta, MODERN_META.clientInfo)) };
}

/** Whether a modern request takes log messages of level `notice`: only those that name a level take any. */
export function takesNotices({ params }: Pick<ScreenedRequest, "params">): boolean {
  return passesNotice(own(metaOf(params ?? {}), MODERN_META.logLevel)) === true;
}

/** Answers server/discover: the revisions, capabilities and name of this server. */
export function discover(version: string): RpcReply {
  return completed({ result: { supportedVersions: MODERN_VERSIONS, capabilities: { tools: {} }, ...PRIVATE } }, version);
}

/** A list of tools as the revision wants it: private to this client, and stale after a few seconds. */
export function privateList(reply: RpcReply, version: string): RpcReply {
  return completed("result" in reply ? { result: { ...reply.result, ...PRIVATE } } : reply, version);
}

/** Gives a result what every result of the revision has: its type, and who answers. Errors stay as they are. */
export function completed(reply: RpcReply, version: string): RpcReply {
  if ("error" in reply) return reply;
  return { result: { ...reply.result, resultType: "complete", _meta: metaWithServer(reply.result, version) } };
}

/** A result that asks in place of one that is complete: the client repeats the request with the answers (SEP-2322). */
export function inputRequired(
  reply: RpcReply,
  asks: { readonly inputRequests: JsonObject; readonly requestState: string },
  version: string,
): RpcReply {
  if ("error" in reply) return reply;
  return { result: { resultType: "input_required", ...asks, _meta: metaWithServer(reply.result, version) } };
}

function metaWithServer(result: object, version: string): JsonObject {
  const meta = "_meta" in result && isJsonObject(result._meta) ? result._meta : {};
  return { ...meta, "io.modelcontextprotocol/serverInfo": { name: "regate", version } };
}

const PRIVATE = { ttlMs: TTL_MS, cacheScope: "private" } as const;

/** The envelope's keys, each with what its value must be. */
const ENVELOPE: Readonly<Record<string, (value: unknown) => boolean>> = {
  [MODERN_META.protocolVersion]: (value) => typeof value === "string",
  [MODERN_META.clientCapabilities]: isJsonObject,
  [MODERN_META.clientInfo]: (value) => value === undefined || isImplementation(value),
  [MODERN_META.logLevel]: (value) => value === undefined || LOG_LEVELS.has(value),
};

function isImplementation(value: unknown): boolean {
  return isJsonObject(value) && typeof value["name"] === "string" && typeof value["version"] === "string";
}

function own(meta: JsonObject, key: string): JsonObject[string] | undefined {
  return Object.hasOwn(meta, key) ? meta[key] : undefined;
}
