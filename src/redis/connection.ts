import { boundedBy } from "./send.ts";
import type { Send } from "./send.ts";
import { StoreError } from "./store-error.ts";

/** One connection to Redis that is made when it is needed and made again when it breaks. */
export interface Connection {
  readonly send: Send;
  /** Breaks off at once whatever is under way. */
  close(): void;
}

const CONNECT_MS = 3_000;
const ANSWER_MS = 5_000;
/** RESP's type of bulk strings: taken as bytes. */
const AS_BYTES = { 36: Buffer } as const;

interface Client {
  readonly isReady: boolean;
  sendCommand(args: readonly (string | Uint8Array)[], options: object): Promise<unknown>;
  destroy(): void;
}

/**
 * Opens a connection lazily. The library's own queueing and reconnecting are off: a command is sent once or fails, since a repetition that
 * nobody asked for would run twice (trial D05), and after a missed answer the connection is given up, because later answers would be taken
 * for earlier ones.
 */
export function openConnection(url: string): Connection {
  let connecting: Promise<Client> | undefined;
  let current: Client | undefined;
  let closed = false;
  const drop = (client: Client): void => {
    if (current === client) current = undefined;
    destroy(client);
  };
  const ready = async (): Promise<Client> => {
    if (closed) throw unreachable("the connection is closed");
    if (current?.isReady === true) return current;
    connecting ??= connect(url).finally(() => {
      connecting = undefined;
    });
    const made = await connecting;
    if (closed) destroy(made);
    current = made;
    return made;
  };
  return {
    async send(args, { holdMs = 0 } = {}) {
      const client = await ready();
      try {
        return await boundedBy(ANSWER_MS + holdMs, client.sendCommand(args, { typeMapping: AS_BYTES }));
      } catch (error) {
        const { ErrorReply } = await import("redis");
        if (error instanceof ErrorReply) throw refusedBy(error);
        drop(client);
        throw error instanceof StoreError ? error : new StoreError("store_unavailable", "the connection to Redis broke", { cause: error });
      }
    },
    close() {
      closed = true;
      if (current !== undefined) drop(current);
    },
  };
}

/** First word of Redis's error, such as `NOGROUP`; undefined for every other failure. */
export function redisErrorWord(error: unknown): string | undefined {
  return error instanceof RedisRefusal ? error.word : undefined;
}

/** Redis answered with an error. */
class RedisRefusal extends StoreError {
  readonly word: string;

  constructor(cause: Error) {
    const word = /^[A-Z]+/.exec(cause.message)?.[0] ?? "ERR";
    super("store_unavailable", `Redis refused a command (${word})`, { cause });
    this.word = word;
  }
}

function refusedBy(error: Error): StoreError {
  return new RedisRefusal(error);
}

async function connect(url: string): Promise<Client> {
  const { createClient } = await import("redis");
  const client = createClient({
    url,
    RESP: 2,
    disableOfflineQueue: true,
    disableClientInfo: true,
    maintNotifications: "disabled",
    socket: { reconnectStrategy: false, connectTimeout: CONNECT_MS },
  });
  client.on("error", () => undefined);
  try {
    await boundedBy(CONNECT_MS + 500, client.connect());
    return client;
  } catch (cause) {
    destroy(client);
    throw unreachable(connectProblem(cause), cause);
  }
}

/** How it failed, for operators; nothing of the URL, since approvers far away may read it too. */
function connectProblem(cause: unknown): string {
  const [, word] = /^(WRONGPASS|NOAUTH|NOPERM)\b/.exec(cause instanceof Error ? cause.message : "") ?? [];
  if (word !== undefined) return `Redis refuses the user or the password (${word})`;
  const code = cause instanceof Error && "code" in cause && typeof cause.code === "string" ? ` (${cause.code})` : "";
  return `Redis cannot be reached${code}`;
}

function destroy(client: { destroy(): void }): void {
  try {
    client.destroy();
  } catch {
    // It was closed already.
  }
}

function unreachable(message: string, cause?: unknown): StoreError {
  return new StoreError("store_unreachable", message, { cause });
}
