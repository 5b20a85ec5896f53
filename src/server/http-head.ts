import type { IncomingMessage } from "node:http";
import { MAX_LINE_BYTES } from "./screen.ts";
import type { HttpRefusal } from "./http-reply.ts";

/** Path of the endpoint (reference/gateway.md, command line). */
export const MCP_PATH = "/mcp";

/** Names beside the loopback ones under which the front may be reached: `host` or `host:port` as the Host header has them, lower case. */
export interface KnownNames {
  readonly hosts: ReadonlySet<string>;
  readonly origins: ReadonlySet<string>;
}

const LOOPBACK = ["127.0.0.1", "localhost", "[::1]"] as const;

/**
 * Judges where a request was sent to and from: a page of another site that reaches a loopback port through its visitor's browser must get
 * nothing (reference/gateway.md, HTTP; CVE-2025-66414). The same for every verb and path.
 */
export function judgeOrigin(request: IncomingMessage, known: KnownNames): HttpRefusal | undefined {
  const hosts = request.headersDistinct["host"] ?? [];
  const [host] = hosts;
  if (host === undefined || host === "" || hosts.length > 1) return { status: 400, message: "one `Host` header is needed" };
  const own = ownNames(request.socket.localPort);
  const name = host.toLowerCase();
  if (!own.includes(name) && !known.hosts.has(name)) return { status: 403, message: "`Host` is not this server" };
  const origins = request.headersDistinct["origin"] ?? [];
  const isOwn = (origin: string): boolean => own.some((each) => origin === `http://${each}`) || known.origins.has(origin);
  if (!origins.every((origin) => isOwn(origin.toLowerCase()))) return { status: 403, message: "`Origin` is another site" };
  return undefined;
}

function ownNames(port: number | undefined): readonly string[] {
  const withPort = LOOPBACK.map((name) => `${name}:${port}`);
  return port === 80 ? [...withPort, ...LOOPBACK] : withPort;
}

/** The path of a request without its query; undefined when the target is no path. */
export function pathOf(request: IncomingMessage): string | undefined {
  const [path] = (request.url ?? "").split("?", 1);
  return path?.startsWith("/") === true ? path : undefined;
}

/** Judges what the head says of a body, before it is read (reference/gateway.md, HTTP). */
export function judgeBodyHead({ headers }: IncomingMessage): HttpRefusal | undefined {
  if (!isJsonType(headers["content-type"])) return { status: 415, message: "`Content-Type` must be application/json" };
  const encoding = headers["content-encoding"]?.toLowerCase() ?? "identity";
  if (encoding !== "identity") return { status: 415, message: "`Content-Encoding` is not supported" };
  if (Number(headers["content-length"] ?? 0) > MAX_LINE_BYTES) return TOO_LARGE;
  return undefined;
}

/** The refusal of a body that is too large. */
export const TOO_LARGE: HttpRefusal = { status: 413, message: `a body must not be longer than ${MAX_LINE_BYTES} bytes` };

const JSON_TYPE = /^application\/json[ \t]*(?:;[ \t]*charset[ \t]*=[ \t]*"?utf-8"?[ \t]*)?;?[ \t]*$/i;

function isJsonType(type: string | undefined): boolean {
  return type !== undefined && JSON_TYPE.test(type.trim());
}

/** What a client takes as an answer. */
export interface Accepts {
  readonly json: boolean;
  readonly stream: boolean;
}

/** Reads `Accept`; without one everything is accepted. Weights count only where they are 0. */
export function acceptsOf({ headers }: IncomingMessage): Accepts {
  const { accept } = headers;
  if (accept === undefined || accept.trim() === "") return { json: true, stream: true };
  const ranges = accept
    .toLowerCase()
    .split(",")
    .map((range) => range.split(";").map((part) => part.trim()))
    .filter(([, ...params]) => !params.some((param) => /^q=0(?:\.0*)?$/.test(param)))
    .map(([range]) => range);
  const takes = (type: string): boolean =>
    ranges.some((range) => range === type || range === `${type.split("/", 1)[0]}/*` || range === "*/*");
  return { json: takes("application/json"), stream: takes("text/event-stream") };
}
