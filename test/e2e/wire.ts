import type { RawServer } from "./raw-server.ts";

/** How a client speaks: with a handshake and requests of the server to it, or without both (2026-07-28). */
export type Era = "legacy" | "modern";

/** A result as it came, in the parts that tests look at. */
export interface WireResult extends Record<string, unknown> {
  readonly resultType?: string;
  readonly isError?: boolean;
  readonly content?: { readonly text: string }[];
  readonly inputRequests?: Record<string, { readonly method: string; readonly params: { readonly message: string } }>;
  readonly requestState?: string;
  readonly _meta?: Record<string, { readonly code?: string }>;
}

/** A question of the server to a legacy client. */
export interface WireQuestion {
  readonly id: string;
  readonly params: { readonly message: string };
}

/** A client that is nothing but lines. */
export interface Wire {
  /** Sends tools/call under an id of its own and waits for the answer; `more` goes beside name and arguments. */
  call(tool: string, args?: object, more?: object): Promise<WireResult>;
  /** The same under a given id, without waiting. */
  start(id: number, tool: string, args?: object): Promise<void>;
  /** Waits until the server has asked so often. */
  questions(count: number): Promise<WireQuestion[]>;
  /** How often the server has asked so far, and the messages that it has sent of its own accord. */
  asked(): readonly { readonly method: string; readonly params?: Record<string, unknown> }[];
  /** Answers a question. */
  answer(question: WireQuestion, result: unknown): Promise<void>;
  /** The answer to the request with this id, when it is there. */
  result(id: number): Promise<WireResult>;
  /** Calls, and answers the question if there is one. */
  settle(tool: string, args: object, answer: unknown): Promise<{ readonly result: WireResult; readonly message: string | undefined }>;
}

/** The code of a refusal, `ok` for a result. */
export function codeIn({ _meta, isError }: WireResult): string {
  return _meta?.["regate/decision"]?.code ?? (isError === true ? "error" : "ok");
}

const YES = { action: "accept", content: { confirm: true } };
export { YES };

/** Opens a client of an era on a server. */
export async function openWire(server: RawServer, era: Era, canElicit = true): Promise<Wire> {
  const capabilities = canElicit ? { elicitation: {} } : {};
  const meta = { "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": capabilities };
  const envelope = era === "modern" ? { _meta: meta } : {};
  let lastId = 1_000;
  if (era === "legacy") {
    const params = { protocolVersion: "2025-11-25", capabilities, clientInfo: { name: "wire", version: "1" } };
    await server.ask({ jsonrpc: "2.0", id: "hello", method: "initialize", params });
    await server.send({ jsonrpc: "2.0", method: "notifications/initialized" });
  }
  const sent = () => linesOf(server).filter((line) => typeof line.method === "string");
  const asked = () => sent().filter(({ method }) => method === "elicitation/create") as unknown as WireQuestion[];
  const request = (id: number, tool: string, args: object, more: object = {}) => ({
    jsonrpc: "2.0",
    id,
    method: "tools/call",
    params: { name: tool, arguments: args, ...envelope, ...more },
  });
  const found = (id: number) => linesOf(server).find((line) => line.id === id && line.method === undefined)?.result;

  const wire: Wire = {
    async call(tool, args = {}, more = {}) {
      const { result } = await server.ask(request((lastId += 1), tool, args, more));
      return result as WireResult;
    },
    start: (id, tool, args = {}) => server.send(request(id, tool, args)),
    questions: (count) => until(server, () => (asked().length >= count ? asked() : undefined)),
    asked: () => sent() as ReturnType<Wire["asked"]>,
    answer: ({ id }, result) => server.send({ jsonrpc: "2.0", id, result }),
    result: (id) => until(server, () => found(id) as WireResult | undefined),
    async settle(tool, args, answer) {
      if (era === "modern") {
        const first = await wire.call(tool, args);
        if (first.resultType !== "input_required") return { result: first, message: undefined };
        const more = { inputResponses: { confirm: answer }, requestState: first.requestState };
        return { result: await wire.call(tool, args, more), message: first.inputRequests?.["confirm"]?.params.message };
      }
      const before = asked().length;
      const id = (lastId += 1);
      await wire.start(id, tool, args);
      const question = await until(server, () => asked()[before] ?? (found(id) === undefined ? undefined : null));
      if (question !== null) await wire.answer(question, answer);
      return { result: await wire.result(id), message: question?.params.message };
    },
  };
  return wire;
}

interface Line {
  readonly id?: unknown;
  readonly method?: string;
  readonly result?: unknown;
}

function linesOf(server: RawServer): Line[] {
  return server
    .output()
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Line);
}

/** Waits until something has come; fails when nothing more can. */
async function until<T>(server: RawServer, get: () => T | undefined): Promise<T> {
  for (;;) {
    const isOver = server.child.stdout?.readableEnded === true;
    const value = get();
    if (value !== undefined) return value;
    if (isOver) throw new Error(`the server ended: ${server.stderr()}`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}
