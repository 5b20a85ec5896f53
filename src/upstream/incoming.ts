import { isJsonObject, type JsonObject } from "../call/json.ts";
import { isMember, parseJson, type NumberSource } from "../wire/json-source.ts";

/** A message of an upstream as it was parsed; `numbers` keep what its doubles do not say. */
interface Parsed {
  readonly message: JsonObject;
  readonly numbers: readonly NumberSource[];
}

/** What a message of an upstream is. */
export type Incoming =
  | (Parsed & { readonly kind: "answer"; readonly id: string })
  | (Parsed & { readonly kind: "request"; readonly id: string; readonly method: string; readonly params: JsonObject })
  | (Parsed & { readonly kind: "notification"; readonly method: string; readonly params: JsonObject })
  | { readonly kind: "dropped"; readonly reason: string };

/** Deepest nesting of a message; nothing behind the parser may run out of stack. */
const MAX_DEPTH = 512;

/** Reads one message of an upstream. What is not one JSON-RPC object is to be dropped and counted (reference/gateway.md, Pumping). */
export function readIncoming(json: string): Incoming {
  let parsed: ReturnType<typeof parseJson>;
  try {
    parsed = parseJson(json);
  } catch {
    return dropped("a line that is not JSON");
  }
  const { value: message, numbers, depth } = parsed;
  if (depth > MAX_DEPTH) return dropped("a message that is nested too deeply");
  if (!isJsonObject(message)) return dropped("a line that is no object");
  if (message["jsonrpc"] !== "2.0") return dropped("a message that is not JSON-RPC 2.0");
  return typeof message["method"] === "string" ? asked({ message, numbers }, message["method"]) : answered({ message, numbers });
}

function asked({ message, numbers }: Parsed, method: string): Incoming {
  const { params = {} } = message;
  if (!isJsonObject(params) || Object.hasOwn(message, "result") || Object.hasOwn(message, "error")) return dropped("a malformed message");
  if (!Object.hasOwn(message, "id")) return { kind: "notification", message, numbers, method, params };
  const id = idText(message, numbers);
  return id === undefined ? dropped("a request with a malformed id") : { kind: "request", message, numbers, id, method, params };
}

function answered({ message, numbers }: Parsed): Incoming {
  const hasResult = isJsonObject(message["result"]);
  if (hasResult === isError(message["error"]) || (hasResult && Object.hasOwn(message, "error"))) return dropped("a malformed answer");
  const id = idText(message, numbers);
  return id === undefined ? dropped("an answer without an id") : { kind: "answer", message, numbers, id };
}

function isError(error: unknown): boolean {
  return isJsonObject(error) && typeof error["code"] === "number" && typeof error["message"] === "string";
}

/** The id as JSON text; a number keeps its source text. */
function idText({ id }: JsonObject, numbers: readonly NumberSource[]): string | undefined {
  if (typeof id === "string") return JSON.stringify(id);
  if (typeof id !== "number") return undefined;
  return numbers.find(({ at }) => isMember(at) && at.key === "id")?.text ?? String(id);
}

function dropped(reason: string): Incoming {
  return { kind: "dropped", reason };
}
