import { randomBytes } from "node:crypto";
import { openConnection } from "../redis/connection.ts";
import { createFront } from "../delegate/front.ts";
import { keysOf } from "../delegate/keys.ts";
import { redisFront } from "../delegate/redis-front.ts";
import { redisSessions } from "../delegate/session-store.ts";
import type { OsUser } from "../session/os-user.ts";
import type { Tool } from "../tools/tool.ts";
import { delegatedTools } from "./delegated-tools.ts";
import type { Delegation } from "./delegated-tools.ts";

/** How a front is connected to the tools service. */
export interface BackendLink {
  readonly url: string;
  readonly prefix: string;
  readonly proofKey: string;
  readonly horizon: { readonly proofTtl: number };
  readonly queueLimit: number;
}

/** The way from one front process to the tools service. */
export interface ToolsBackend {
  /** For `SharedOptions.arrangeTools`. */
  readonly arrangeTools: (tools: readonly Tool[], who: OsUser) => readonly Tool[];
  close(): void;
}

/**
 * Makes the way; nothing is connected before the first call.
 * @param from where this server's users come from, and the working directory that its gate judged commands in
 */
export function openToolsBackend(link: BackendLink, from: Pick<Delegation, "platform" | "workdir">): ToolsBackend {
  const keys = keysOf(link.prefix);
  const [commands, holding] = [openConnection(link.url), openConnection(link.url)];
  const { proofTtl } = link.horizon;
  const front = createFront({
    keys,
    sessions: redisSessions(commands.send),
    store: redisFront(keys, commands.send, holding.send),
    proofKey: link.proofKey,
    proofTtl,
    laneId: `front-${randomBytes(12).toString("hex")}`,
    limit: link.queueLimit,
  });
  return {
    arrangeTools: (tools, who) => delegatedTools(tools, { front, who, ...from, proofTtl }),
    close() {
      front.close();
      commands.close();
      holding.close();
    },
  };
}
