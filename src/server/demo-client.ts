import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { isJSONRPCErrorResponse, type JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { isJsonObject, type JsonObject } from "../call/json.ts";

/** The server that a client starts. */
export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
}

/** What came back for one call: a tool result, or a JSON-RPC error. */
export interface CallReport {
  /** Of a refusal the decision's code, of a JSON-RPC error its number, of a cancelled call `cancelled`; `""` for a result. */
  readonly code: string;
  readonly isError: boolean;
  readonly text: string;
  readonly structured: JsonObject;
}

/** A connected client of the SDK. */
export interface DemoClient {
  readonly listTools: () => Promise<readonly string[]>;
  readonly call: (tool: string, args: JsonObject) => Promise<CallReport>;
  /** Calls, and cancels by `notifications/cancelled` after the given time. */
  readonly cancelledCall: (call: { readonly tool: string; readonly args: JsonObject; readonly afterMs: number }) => Promise<CallReport>;
  /** Sends a message that the SDK itself would never make, and gives the answer that carries its id. */
  readonly raw: (message: JsonObject & { readonly id: string }) => Promise<CallReport>;
  readonly close: () => Promise<void>;
}

const ANSWER_LIMIT_MS = 10_000;

function decisionCode(meta: unknown): string {
  const decision = isJsonObject(meta) ? meta["regate/decision"] : undefined;
  const code = isJsonObject(decision) ? decision["code"] : undefined;
  return typeof code === "string" ? code : "";
}

function resultReport(result: Readonly<Record<string, unknown>>): CallReport {
  const [first] = Array.isArray(result["content"]) ? (result["content"] as unknown[]) : [];
  const structured = result["structuredContent"];
  return {
    code: decisionCode(result["_meta"]),
    isError: result["isError"] === true,
    text: isJsonObject(first) && typeof first["text"] === "string" ? first["text"] : "",
    structured: isJsonObject(structured) ? structured : {},
  };
}

function errorReport(error: unknown): CallReport {
  const code = error instanceof Error && "code" in error ? String(error.code) : "failed";
  return { code, isError: true, text: error instanceof Error ? error.message : String(error), structured: {} };
}

function answerTo(id: string | number, transport: StdioClientTransport): Promise<CallReport> {
  return new Promise((resolve, reject) => {
    const usual = transport.onmessage;
    const timer = setTimeout(() => reject(new Error("no answer")), ANSWER_LIMIT_MS);
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- a transport of the SDK has no other way
    transport.onmessage = (message: JSONRPCMessage) => {
      if (!("id" in message) || message.id !== id) return usual?.(message);
      clearTimeout(timer);
      // oxlint-disable-next-line unicorn/prefer-add-event-listener -- likewise
      if (usual !== undefined) transport.onmessage = usual;
      if (isJSONRPCErrorResponse(message))
        return resolve({ code: String(message.error.code), isError: true, text: message.error.message, structured: {} });
      return resolve("result" in message ? resultReport(message.result) : errorReport(new Error("no result")));
    };
  });
}

/**
 * Starts a server and connects the SDK's own client to it over stdio. The server gets the SDK's default environment and no
 * `REGATE_*` variable of this process.
 */
export async function connectDemoClient(server: ServerCommand): Promise<DemoClient> {
  const transport = new StdioClientTransport({ command: server.command, args: [...server.args], cwd: server.cwd, stderr: "ignore" });
  const client = new Client({ name: "regate-demo", version: "1.0.0" });
  await client.connect(transport);
  const call = async (tool: string, args: JsonObject, signal?: AbortSignal): Promise<CallReport> =>
    client
      .callTool({ name: tool, arguments: args }, undefined, { timeout: ANSWER_LIMIT_MS, ...(signal === undefined ? {} : { signal }) })
      .then(resultReport, errorReport);
  return {
    listTools: async () => (await client.listTools()).tools.map((tool) => tool.name),
    call: async (tool, args) => call(tool, args),
    cancelledCall: async ({ tool, args, afterMs }) => {
      const controller = new AbortController();
      const timer = setTimeout(() => controller.abort("no longer wanted"), afterMs);
      const report = await call(tool, args, controller.signal);
      clearTimeout(timer);
      return controller.signal.aborted ? { ...report, code: "cancelled" } : report;
    },
    raw: async (message) => {
      const answer = answerTo(message.id, transport);
      await transport.send(message as unknown as JSONRPCMessage);
      return answer;
    },
    close: async () => client.close(),
  };
}
