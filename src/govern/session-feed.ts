import { connect } from "node:net";
import type { Socket } from "node:net";
import { sessionSocket } from "./session-feed-form.ts";
import type { SessionSnapshot } from "./session-feed-form.ts";

/** What a server publishes, and how often. */
export interface SessionFeedOptions {
  readonly stateDir: string;
  /** This moment of the session. */
  readonly snapshot: () => SessionSnapshot;
  /** Milliseconds between two looks at the session; 1 s unless given. */
  readonly everyMs?: number;
}

const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 15_000;
/** A reader that has not taken so much gets nothing more. */
const MAX_BACKLOG = 262_144;

/**
 * Tells the admin server of the state directory about this session for as long as it lasts: at once when one listens, else as soon as one
 * does. It never throws, never keeps the process alive, and no call waits for it.
 * @returns ends it
 */
export function publishSession({ stateDir, snapshot, everyMs = 1_000 }: SessionFeedOptions): () => void {
  let socket: Socket | undefined;
  let retryMs = FIRST_RETRY_MS;
  let retry: NodeJS.Timeout | undefined;
  let told = "";
  let ended = false;

  function open(): void {
    const own = connect(sessionSocket(stateDir));
    socket = own;
    told = "";
    own.unref();
    own.on("connect", () => {
      retryMs = FIRST_RETRY_MS;
      tell();
    });
    own.on("error", () => undefined);
    own.on("close", () => {
      socket = undefined;
      if (ended) return;
      retry = setTimeout(open, retryMs).unref();
      retryMs = Math.min(retryMs * 2, LONGEST_RETRY_MS);
    });
    own.resume();
  }

  function tell(): void {
    if (socket === undefined || socket.connecting || socket.writableLength > MAX_BACKLOG) return;
    const line = lineOf(snapshot);
    if (line === undefined || line === told) return;
    told = line;
    socket.write(line);
  }

  open();
  const looking = setInterval(tell, everyMs).unref();
  return () => {
    ended = true;
    clearInterval(looking);
    clearTimeout(retry);
    socket?.destroy();
  };
}

function lineOf(snapshot: () => SessionSnapshot): string | undefined {
  try {
    return `${JSON.stringify(snapshot())}\n`;
  } catch {
    return undefined;
  }
}
