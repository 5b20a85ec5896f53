import type { UpstreamEntry } from "../upstream/entry.ts";
import { httpLink } from "../upstream/http-link.ts";
import { stdioLink } from "../upstream/stdio-link.ts";
import type { Confine } from "../upstream/stdio-process.ts";
import type { UpstreamTool } from "../upstream/tool-table.ts";
import { createUpstream } from "../upstream/upstream.ts";
import { ownHello } from "./gateway-start.ts";

const MAX_BYTES = 64 * 1024 * 1024;

/** How a server is started to be asked. */
export interface ListOptions {
  /** Environment of this process. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The sandbox around servers that do not opt out; undefined: none. */
  readonly confine: Confine | undefined;
  /** Takes one line about a server that does not come up. */
  readonly note: (line: string) => void;
}

/** Starts a server, lists its tools and ends it; undefined when it does not come up. Nothing is pinned. */
export async function listOnce(
  entry: UpstreamEntry,
  { environment, confine, note }: ListOptions,
): Promise<readonly UpstreamTool[] | undefined> {
  const server = createUpstream<never>({
    entry,
    open:
      entry.kind === "stdio"
        ? stdioLink(entry, { environment, maxLineBytes: MAX_BYTES, confine })
        : httpLink(entry, { maxMessageBytes: MAX_BYTES }),
    pins: {
      observe: (_server, _kind, listed) => new Map(listed.map(({ name }) => [name, "pinned"])),
      serverStatus: () => "ok",
      missingTools: () => [],
    },
    host: {
      onNotification: () => undefined,
      onRequest: () => undefined,
      onEnd: () => undefined,
      onGone: () => undefined,
      note,
      count: () => undefined,
      redact: (text) => text,
    },
  });
  try {
    void server.greet(ownHello("0"));
    return (await server.settle()) ? [...server.table().tools.values()] : undefined;
  } finally {
    await server.close();
  }
}
