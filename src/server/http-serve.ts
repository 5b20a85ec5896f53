import { osUser } from "../session/os-user.ts";
import { openClientSession, openParts, thenClose, type ServerParts, type SharedOptions } from "./assemble.ts";
import { openConnection } from "./connection.ts";
import { openHttpFront, type HttpFrontOptions } from "./http-front.ts";
import type { ClientPeer, ClientPort } from "./http-port.ts";

/** What a server over HTTP is made of. */
export interface HttpServerOptions extends SharedOptions {
  readonly http: Pick<HttpFrontOptions, "host" | "port" | "authenticate" | "documents" | "knownNames" | "limits">;
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
    const front = await openHttpFront({ ...http, stop, note, openPeer: (port) => openPeer(parts, port) });
    return { url: front.url, ended: thenClose(front.ended, parts.starlark) };
  } catch (error) {
    await parts.starlark.close();
    throw error;
  }
}

async function openPeer(parts: ServerParts, port: ClientPort): Promise<ClientPeer> {
  const { version, note } = parts.options;
  const { principal } = port;
  const who = principal === undefined ? osUser() : { user: principal.subject, groups: principal.groups };
  const { corridor, human } = openClientSession(parts, who);
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
