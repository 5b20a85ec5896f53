import type { JsonObject } from "../../src/call/json.ts";
import type { Withdrawal } from "../../src/call/withdrawal.ts";
import type { ClientFacts } from "../../src/session/session.ts";
import { openConnection, type Connection, type ConnectionOptions } from "../../src/server/connection.ts";
import type { CallAnswer, CallRequest, Corridor, ListedTool } from "../../src/server/corridor-types.ts";

/** One call as it reached the corridor. */
export interface RecordedCall {
  readonly tool: string;
  readonly arguments: JsonObject;
  readonly client: ClientFacts | undefined;
  readonly signal: Withdrawal | undefined;
}

/** A corridor that records what reaches it; `answer` decides what comes back. */
export interface RecordingCorridor extends Corridor {
  readonly calls: RecordedCall[];
  closed: number;
}

export const LISTED: ListedTool = {
  name: "echo",
  title: "Echo",
  description: "gives its arguments back",
  inputSchema: { type: "object", properties: {} },
  outputSchema: { type: "object", properties: {} },
  annotations: { title: "Echo", readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
};

/** What `echo` answers. */
export function echoed(args: JsonObject): CallAnswer {
  const meta = { "regate/decision": { decision_id: "d-1" } };
  return { kind: "result", result: { content: [{ type: "text", text: JSON.stringify(args) }], structuredContent: args, _meta: meta } };
}

export function recordingCorridor(
  answer: (request: CallRequest) => Promise<CallAnswer> | CallAnswer = (request) => echoed(request.arguments),
): RecordingCorridor {
  const calls: RecordedCall[] = [];
  let client: ClientFacts | undefined;
  return {
    calls,
    closed: 0,
    async call(request) {
      calls.push({ tool: request.tool, arguments: request.arguments, client, signal: request.signal });
      return await answer(request);
    },
    listTools: () => [LISTED],
    setClient: (facts) => void (client = facts),
    async close() {
      this.closed += 1;
    },
  };
}

/** An open connection with what it sent, logged and passed on. */
export interface Kit {
  readonly connection: Connection;
  readonly corridor: RecordingCorridor;
  readonly sent: string[];
  readonly logged: string[];
  /** Sends one line and gives the parsed answer, or undefined for none. */
  readonly ask: (line: string | Uint8Array | object) => Promise<Message | undefined>;
}

/** A JSON-RPC answer. */
export interface Message {
  readonly id: string | number | null;
  readonly result?: JsonObject;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: JsonObject };
}

export async function openKit(corridor: RecordingCorridor = recordingCorridor(), human?: ConnectionOptions["human"]): Promise<Kit> {
  const sent: string[] = [];
  const logged: string[] = [];
  const connection = await openConnection({
    corridor,
    version: "1.2.3",
    ...(human === undefined ? {} : { human }),
    send: (json) => void sent.push(json),
    log: (line) => void logged.push(line),
  });
  return {
    connection,
    corridor,
    sent,
    logged,
    async ask(line) {
      const answer = await connection.receive(bytesOf(line));
      return answer && (JSON.parse(answer.json) as Message);
    },
  };
}

export function bytesOf(line: string | Uint8Array | object): Uint8Array {
  if (line instanceof Uint8Array) return line;
  return Buffer.from(typeof line === "string" ? line : JSON.stringify(line));
}

/** A tools/call request. */
export function call(id: unknown, args: JsonObject = {}, name = "echo"): JsonObject {
  return { jsonrpc: "2.0", id: id as string, method: "tools/call", params: { name, arguments: args } };
}

/** A promise that is settled from outside. */
export function deferred<T>(): { readonly promise: Promise<T>; readonly resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve: (value) => resolve(value) };
}
