import { isJsonObject, type JsonObject } from "../call/json.ts";
import type { NumberSource } from "../wire/json-source.ts";
import type { OpenLink } from "../upstream/link.ts";
import { askPeer, openPeer, type PeerEvents } from "../upstream/peer.ts";
import { MODERN_VERSIONS } from "./modern.ts";
import { MODERN_META } from "./protocol-keys.ts";
import { within } from "../wire/within.ts";

/** How long a server that is there may think about server/discover. */
const PROBE_MS = 1_000;
/** How long it may take to start, beside that: until it says anything, on stderr too. */
const START_MS = 2_500;

/** What a throw-away connection said to server/discover. */
export type ProbeAnswer =
  /** `unreached`: nobody was asked, since there was no connection. */
  | { readonly era: "legacy"; readonly unreached?: boolean }
  | { readonly era: "modern"; readonly result: JsonObject; readonly numbers: readonly NumberSource[] };

/** Hears nothing but that somebody speaks. */
const listener = (onLife: () => void): PeerEvents<undefined> => ({
  onNotification: onLife,
  onRequest: onLife,
  onEnd: onLife,
  onStderr: onLife,
  onDropped: onLife,
});

/**
 * Asks a server for its era on a connection that is thrown away: legacy servers exit on an unknown request before initialize, or stay
 * silent (reference/mcp.md §2.5), and the real one must not be harmed.
 * @param params the client's params of server/discover, or ours
 */
export async function probe(open: OpenLink, params: string, version: string): Promise<ProbeAnswer> {
  const giveUp = new AbortController();
  const startedBy = performance.now() + START_MS;
  let isAlive = (): void => undefined;
  const life = new Promise<void>((resolve) => {
    isAlive = resolve;
  });
  try {
    const opening = openPeer<undefined>(
      open,
      listener(() => isAlive()),
      giveUp.signal,
    );
    const peer = await within(START_MS, opening);
    if (peer === undefined) {
      void opening.then((late) => late.close()).catch(() => undefined);
      return { era: "legacy" };
    }
    const asked = askPeer(peer, { method: "server/discover", params: params === "" ? envelope(version) : params, owner: undefined });
    // A process that was only just started has not read the question yet.
    await within(Math.max(0, startedBy - performance.now()), Promise.race([asked.answer, life]));
    const answer = await within(PROBE_MS, asked.answer);
    void peer.close();
    if (answer?.kind === "lost" && !answer.sent) return { era: "legacy", unreached: true };
    if (answer?.kind !== "result" || !isModernResult(answer.result)) return { era: "legacy" };
    return { era: "modern", result: answer.result, numbers: answer.numbers };
  } catch {
    return { era: "legacy", unreached: true };
  } finally {
    giveUp.abort();
  }
}

function isModernResult({ supportedVersions }: JsonObject): boolean {
  return Array.isArray(supportedVersions) && MODERN_VERSIONS.some((version) => supportedVersions.includes(version));
}

/** Params of a request of ours to a modern server. */
function envelope(version: string): string {
  return JSON.stringify({ _meta: modernMeta(version, {}) });
}

/** The `_meta` of requests of ours to a modern server. */
export function modernMeta(version: string, client: JsonObject): JsonObject {
  const info = client[MODERN_META.clientInfo];
  return {
    [MODERN_META.protocolVersion]: MODERN_VERSIONS[0] ?? "",
    [MODERN_META.clientCapabilities]: {},
    [MODERN_META.clientInfo]: isJsonObject(info) ? info : { name: "regate", version },
  };
}
