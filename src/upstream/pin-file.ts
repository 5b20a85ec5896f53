import { randomBytes } from "node:crypto";
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, statSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { isJsonObject, type JsonObject, type JsonValue } from "../call/json.ts";

/** What is pinned of a server beside itself (reference/gateway.md, Pins). */
export const PIN_KINDS = ["tools", "prompts", "templates", "instructions"] as const;

/** A kind of pinned definition. */
export type PinKind = (typeof PIN_KINDS)[number];

/** One pinned definition: digest over its RFC 8785 form, and the definition itself for a readable diff. */
export interface Pin {
  readonly digest: string;
  readonly definition: JsonValue;
}

/** What the lock file holds of one server. */
export interface PinnedServer {
  /** Command with argv, or URL. */
  readonly identity: JsonObject;
  readonly pins: Readonly<Record<PinKind, ReadonlyMap<string, Pin>>>;
  /** Kinds that the server has listed, be it nothing: of another kind the first use is still to come. */
  readonly kinds: ReadonlySet<PinKind>;
}

/** The lock file by server id. */
export type PinnedServers = ReadonlyMap<string, PinnedServer>;

const MAX_BYTES = 64 * 1024 * 1024;

/**
 * Reads a lock file; one that does not exist holds nothing.
 * @throws Error when it cannot be read or is no lock file: then nothing of it counts
 */
export function readPinFile(path: string): PinnedServers {
  const text = textOf(path);
  if (text === undefined) return new Map();
  const value = jsonOf(text);
  if (!isJsonObject(value) || value["version"] !== 1 || !isJsonObject(value["servers"])) throw new Error("not a lock file of version 1");
  return new Map(Object.entries(value["servers"]).map(([id, server]) => [id, serverOf(server)]));
}

/** Never the parser's own message, which repeats what stands in the file. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Error("not JSON", { cause });
  }
}

function textOf(path: string): string | undefined {
  try {
    if (statSync(path).size > MAX_BYTES) throw new Error(`larger than ${MAX_BYTES} bytes`);
    return new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(path));
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

function serverOf(value: JsonValue): PinnedServer {
  if (!isJsonObject(value)) throw new Error("a server that is no object");
  const { identity } = value;
  if (!isJsonObject(identity)) throw new Error("a server without `identity`");
  const pins = Object.fromEntries(PIN_KINDS.map((kind) => [kind, pinsOf(value[kind])]));
  return { identity, pins: pins as PinnedServer["pins"], kinds: new Set(PIN_KINDS.filter((kind) => value[kind] !== undefined)) };
}

function pinsOf(value: JsonValue | undefined): ReadonlyMap<string, Pin> {
  if (value === undefined) return new Map();
  if (!isJsonObject(value)) throw new Error("pins that are no object");
  return new Map(Object.entries(value).map(([name, pin]) => [name, pinOf(pin)]));
}

function pinOf(value: JsonValue): Pin {
  const digest = isJsonObject(value) ? value["digest"] : undefined;
  if (typeof digest !== "string" || !/^sha256:[0-9a-f]{64}$/.test(digest)) throw new Error("a pin without a digest");
  return { digest, definition: (value as JsonObject)["definition"] ?? null };
}

/** Writes a lock file whole or not at all, mode 0600. @throws Error when it cannot be written */
export function writePinFile(path: string, servers: PinnedServers): void {
  writePrivate(
    path,
    `${JSON.stringify({ version: 1, servers: Object.fromEntries([...servers].sort(byName).map(entryOf)) }, undefined, 2)}\n`,
  );
}

function entryOf([id, { identity, pins, kinds }]: [string, PinnedServer]): [string, JsonObject] {
  const listed = PIN_KINDS.filter((kind) => kinds.has(kind)).map((kind) => [kind, plain(pins[kind])]);
  return [id, { identity, ...(Object.fromEntries(listed) as JsonObject) }];
}

function plain(pins: ReadonlyMap<string, Pin>): JsonObject {
  return Object.fromEntries([...pins].sort(byName).map(([name, pin]) => [name, { ...pin }]));
}

function writePrivate(path: string, text: string): void {
  // What could not be read again would take the pins of every server with it.
  if (Buffer.byteLength(text) > MAX_BYTES) throw new Error(`larger than ${MAX_BYTES} bytes`);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = `${path}.${randomBytes(6).toString("hex")}.tmp`;
  try {
    const file = openSync(temporary, "wx", 0o600);
    try {
      writeSync(file, text);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}
