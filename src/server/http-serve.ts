import { osUser } from "../session/os-user.ts";
import { openClientSession, openParts, thenClose, type ServerParts } from "./assemble.ts";
import { openConnection } from "./connection.ts";
import type { TokenRules } from "./http-auth.ts";
import { openHttpFront, type HttpFront, type HttpFrontOptions } from "./http-front.ts";
import type { ClientPeer, ClientPort } from "./http-port.ts";
import type { SharedOptions } from "./server-options.ts";
import { httpSharers } from "./sharing.ts";

/** What a server over HTTP is made of. */
export interface HttpServerOptions extends SharedOptions {
  readonly http: HttpServing;
}

/** Where HTTP is served, and to whom. */
export interface HttpServing extends Pick<HttpFrontOptions, "host" | "port" | "limits"> {
  /** Absent: nobody is asked who they are. */
  readonly tokens?: TokenRules;
}

/** A server that accepts connections. */
export interface RunningHttpServer {
  readonly url: string;
  /** Resolves when a stop has ended it, all commands are over and the logs are closed. */
  readonly ended: Promise<void>;
}

/**
 * Starts a server with many clients, over HTTP: each gets a claim, a log, a corridor and a human of its own (design §3).
 * @throws when the address cannot be listened on
 */
export async function startHttpServer(options: HttpServerOptions): Promise<RunningHttpServer> {
  const parts = openParts(options);
  try {
    const { http, stop, note } = options;
    const front = await openFront({ http, stop, note, openPeer: (port) => openPeer(parts, port) });
    return { url: front.url, ended: thenClose(front.ended, parts) };
  } catch (error) {
    await parts.starlark.close();
    throw error;
  }
}

/**
 * Opens the front of whatever serves clients over HTTP. Tokens are checked by code that is loaded only when they are asked for.
 * @throws when the address cannot be listened on
 */
export async function openFront({
  http: { tokens, ...http },
  ...rest
}: Pick<HttpFrontOptions, "openPeer" | "stop" | "note"> & { readonly http: HttpServing }): Promise<HttpFront> {
  const asked = tokens === undefined ? {} : (await import("./http-auth.ts")).tokenParts(tokens, rest.note);
  return await openHttpFront({ ...http, ...rest, ...asked });
}

async function openPeer(parts: ServerParts, port: ClientPort): Promise<ClientPeer> {
  const { version, note } = parts.options;
  const { principal } = port;
  const who = principal === undefined ? osUser() : { user: principal.subject, groups: principal.groups, isAuthenticated: true };
  const { corridor, human } = openClientSession(parts, { ...who, sharers: httpSharers("serve", port) });
  const connection = await openConnection({ corridor, human, version, send: (json) => void port.send(json), log: note });
  return {
    ...connection,
    async close() {
      await corridor.close();
      await connection.idle();
      await connection.close();
    },
  };
}
