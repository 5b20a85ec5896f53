import { closeHttpClient, openHttpClient, ownerOf, type HttpClient } from "./http-client.ts";
import type { HttpLimits } from "./http-limits.ts";
import type { OpenPeer, Principal } from "./http-port.ts";
import { within } from "../wire/within.ts";

/** The clients of one front. */
export interface HttpClients {
  /** Opens a session of the older revisions; undefined when there are too many. Rejects when the service cannot be opened. */
  open(principal: Principal | undefined): Promise<HttpClient | undefined>;
  /** A session by its id: of this principal, of another one, or none. */
  find(id: string, principal: Principal | undefined): HttpClient | "foreign" | undefined;
  /** What serves the stateless requests of a principal; made by the first. As `open`. */
  stateless(principal: Principal | undefined): Promise<HttpClient | undefined>;
  /** Ends a session and everything behind it. */
  end(client: HttpClient): Promise<void>;
  /** Ends all: calls in flight are aborted and answered if they end in time. */
  endAll(graceMs: number): Promise<void>;
}

/** Makes the table of clients. Ids are looked up in a map, so that `constructor` is an id like any other. */
export function createHttpClients(openPeer: OpenPeer, limits: HttpLimits): HttpClients {
  const sessions = new Map<string, HttpClient>();
  const principals = new Map<string, Promise<HttpClient>>();
  let opening = 0;
  const isFull = (): boolean => sessions.size + principals.size + opening >= limits.maxSessions;
  const endExpiry = every(Math.min(30_000, Math.max(50, limits.idleMs / 4)), () => expire(sessions, principals, limits.idleMs));

  return {
    async open(principal) {
      if (isFull()) return undefined;
      opening += 1;
      try {
        const client = await openHttpClient({ openPeer, principal, era: "legacy" });
        sessions.set(client.id, client);
        return client;
      } finally {
        opening -= 1;
      }
    },
    find(id, principal) {
      const client = sessions.get(id);
      return client === undefined || client.owner === ownerOf(principal) ? client : "foreign";
    },
    async stateless(principal) {
      const owner = ownerOf(principal);
      const known = principals.get(owner);
      if (known !== undefined) return await known;
      if (isFull()) return undefined;
      const opened = openHttpClient({ openPeer, principal, era: "modern" });
      principals.set(owner, opened);
      opened.catch(() => principals.delete(owner));
      return await opened;
    },
    async end(client) {
      if (sessions.delete(client.id)) await closeHttpClient(client);
    },
    async endAll(graceMs) {
      endExpiry();
      const all = [...sessions.values(), ...(await openOnes(principals))];
      sessions.clear();
      principals.clear();
      await within(graceMs, Promise.all(all.map(closeHttpClient)));
    },
  };
}

async function openOnes(principals: ReadonlyMap<string, Promise<HttpClient>>): Promise<readonly HttpClient[]> {
  const settled = await Promise.allSettled(principals.values());
  return settled.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
}

/** Ends those that ask nothing any more; their next request is answered like one of an unknown client. */
async function expire(sessions: Map<string, HttpClient>, principals: Map<string, Promise<HttpClient>>, idleMs: number): Promise<void> {
  const idle = [...sessions.values(), ...(await openOnes(principals))].filter((client) => client.idleMs() > idleMs);
  for (const client of idle) if (!sessions.delete(client.id)) principals.delete(client.owner);
  await Promise.allSettled(idle.map(closeHttpClient));
}

/** @returns ends the repetition */
function every(ms: number, act: () => Promise<void>): () => void {
  const timer = setInterval(() => void act(), ms);
  timer.unref();
  return () => clearInterval(timer);
}
