import { createHash } from "node:crypto";
import { statSync } from "node:fs";
import canonicalize from "canonicalize";
import type { JsonObject, JsonValue } from "../call/json.ts";
import type { PinPaths } from "./pin-paths.ts";
import { PIN_KINDS, readPinFile, writePinFile, type Pin, type PinKind, type PinnedServer, type PinnedServers } from "./pin-file.ts";

export type { PinKind } from "./pin-file.ts";

/** What the pins say about one definition. */
export type PinStatus = "pinned" | "changed" | "new" | "server_changed" | "unreadable";

/** A definition as a server lists it. */
export interface Listed {
  readonly name: string;
  readonly definition: JsonValue;
}

/** The pins of one process (reference/gateway.md, Decisions and Pins). */
export interface PinStore {
  /**
   * Compares what a server lists with the lock file. A server without an entry is pinned on first use: whatever it lists during this
   * process for the first time is pinned, a definition that changes after that is not. Each kind has a first use of its own: a client
   * that asks for tools only says nothing about prompts.
   * @returns the status of each name
   */
  observe(server: ObservedServer, kind: PinKind, listed: readonly Listed[]): ReadonlyMap<string, PinStatus>;
  /** What the lock file says about a server as a whole. */
  serverStatus(server: ObservedServer): "ok" | "server_changed" | "unreadable";
  /** Pinned tools that a server does not list. @param names what it lists */
  missingTools(server: ObservedServer, names: ReadonlySet<string>): readonly string[];
}

/** A server as it is configured. */
export interface ObservedServer {
  readonly id: string;
  readonly identity: JsonObject;
}

/** Digest of a definition: SHA-256 over its RFC 8785 form. */
export function digestOf(definition: JsonValue): string {
  return `sha256:${createHash("sha256").update(textOf(definition)).digest("hex")}`;
}

/** What has no canonical form (a lone surrogate) still has a text of its own. */
function textOf(definition: JsonValue): string {
  try {
    return canonicalize(definition) ?? "";
  } catch {
    return JSON.stringify(definition);
  }
}

interface State {
  servers: PinnedServers;
  stamp: string;
  problem: string | undefined;
  lookedAt: number;
  readonly firstUse: Set<string>;
  /** Servers and kinds whose first-use question is settled for this process. */
  readonly known: Set<string>;
}

/** How old the last look at the lock file may be when a call asks. */
const LOOK_MS = 250;

/** Opens the pins of a process. @param note takes one line for stderr */
export function openPins(paths: PinPaths, note: (line: string) => void): PinStore {
  const state: State = { servers: new Map(), stamp: "unread", problem: undefined, lookedAt: 0, firstUse: new Set(), known: new Set() };
  refresh(state, paths, note);
  return {
    serverStatus(server) {
      // Asked on every call: the file is looked at a few times a second.
      if (performance.now() - state.lookedAt > LOOK_MS) refresh(state, paths, note);
      if (state.problem !== undefined) return "unreadable";
      return isChanged(state, server) ? "server_changed" : "ok";
    },
    missingTools: ({ id }, names) => [...(state.servers.get(id)?.pins.tools.keys() ?? [])].filter((name) => !names.has(name)),
    observe(server, kind, listed) {
      refresh(state, paths, note);
      const statusOf = judge(state, server, kind);
      const result = new Map(listed.map(({ name, definition }) => [name, statusOf(name, digestOf(definition))]));
      noteSeen(paths, server, { kind, listed });
      if (state.problem !== undefined || !state.firstUse.has(useOf(server, kind))) return result;
      const added = listed.filter(({ name }) => result.get(name) === "new");
      if (added.length === 0 && (isChanged(state, server) || state.servers.get(server.id)?.kinds.has(kind) === true)) return result;
      const isKept = pin(state, paths, { server, kind, added, note });
      for (const { name } of added) result.set(name, isKept ? "pinned" : "unreadable");
      return result;
    },
  };
}

/** Reads the lock file again when it is another one than before: a human may have accepted something meanwhile. */
function refresh(state: State, { file }: PinPaths, note: (line: string) => void): void {
  state.lookedAt = performance.now();
  const stamp = stampOf(file);
  if (stamp === state.stamp) return;
  state.stamp = stamp;
  try {
    state.servers = readPinFile(file);
    state.problem = undefined;
  } catch (error) {
    state.servers = new Map();
    state.problem = error instanceof Error ? error.message : String(error);
    note(`pins: lock file \`${file}\` cannot be read, every upstream call is refused: ${oneLine(state.problem)}`);
  }
}

function stampOf(file: string): string {
  try {
    const { ino, size, mtimeMs } = statSync(file);
    return `${ino} ${size} ${mtimeMs}`;
  } catch {
    return "none";
  }
}

function judge(state: State, server: ObservedServer, kind: PinKind): (name: string, digest: string) => PinStatus {
  if (state.problem !== undefined) return () => "unreadable";
  const entry = state.servers.get(server.id);
  const use = useOf(server, kind);
  if (!state.known.has(use)) {
    state.known.add(use);
    if (entry?.kinds.has(kind) !== true) state.firstUse.add(use);
  }
  if (isChanged(state, server)) return () => "server_changed";
  return (name, digest) => {
    const known = entry?.pins[kind].get(name);
    if (known === undefined) return "new";
    return known.digest === digest ? "pinned" : "changed";
  };
}

function useOf({ id }: ObservedServer, kind: PinKind): string {
  return `${id} ${kind}`;
}

function isChanged({ servers }: State, { id, identity }: ObservedServer): boolean {
  const entry = servers.get(id);
  return entry !== undefined && identityText(entry.identity) !== identityText(identity);
}

const identityTexts = new WeakMap<JsonObject, string>();

/** Every call asks whether its server is still the pinned one; what a server is does not change while it is configured. */
function identityText(identity: JsonObject): string {
  const known = identityTexts.get(identity);
  if (known !== undefined) return known;
  const text = textOf(identity);
  identityTexts.set(identity, text);
  return text;
}

interface Addition {
  readonly server: ObservedServer;
  readonly kind: PinKind;
  readonly added: readonly Listed[];
  readonly note: (line: string) => void;
}

function pin(state: State, { file }: PinPaths, { server, kind, added, note }: Addition): boolean {
  try {
    const servers = withPins(readPinFile(file), server, { kind, listed: added });
    writePinFile(file, servers);
    state.servers = servers;
    state.stamp = stampOf(file);
    const what = kind === "instructions" ? "its instructions" : `${added.length} ${kind} (${added.map(({ name }) => name).join(", ")})`;
    if (added.length > 0) note(`pins: first use of server \`${server.id}\`: pinned ${what}`);
    return true;
  } catch (error) {
    note(`pins: lock file \`${file}\` cannot be written: ${oneLine(error instanceof Error ? error.message : String(error))}`);
    return false;
  }
}

/** The same pins with further ones; a name that is pinned already gets the new definition. */
export function withPins(
  servers: PinnedServers,
  server: ObservedServer,
  { kind, listed }: { readonly kind: PinKind; readonly listed: readonly Listed[] },
): PinnedServers {
  const before = servers.get(server.id);
  const pins: PinnedServer["pins"] = before?.pins ?? emptyPins();
  const more = new Map<string, Pin>(pins[kind]);
  for (const { name, definition } of listed) more.set(name, { digest: digestOf(definition), definition });
  const kinds = new Set([...(before?.kinds ?? []), kind]);
  return new Map(servers).set(server.id, { identity: server.identity, pins: { ...pins, [kind]: more }, kinds });
}

/** No pins of any kind. */
export function emptyPins(): PinnedServer["pins"] {
  return Object.fromEntries(PIN_KINDS.map((kind) => [kind, new Map()])) as unknown as PinnedServer["pins"];
}

/** Keeps what a server listed last; nothing depends on it but what a human is shown. */
function noteSeen(
  { seen }: PinPaths,
  server: ObservedServer,
  { kind, listed }: { readonly kind: PinKind; readonly listed: readonly Listed[] },
): void {
  try {
    const before = readSeen(seen);
    const last = before.get(server.id)?.pins ?? emptyPins();
    const entry = { identity: server.identity, pins: { ...last, [kind]: new Map() }, kinds: before.get(server.id)?.kinds ?? new Set() };
    const now = withPins(new Map(before).set(server.id, entry), server, { kind, listed });
    const text = (servers: PinnedServers): string =>
      canonicalize([...servers].map(([id, { identity, pins, kinds }]) => [id, identity, digests(pins), [...kinds]])) ?? "";
    if (text(before) !== text(now)) writePinFile(seen, now);
  } catch {
    // What a human is shown later is then older than what is listed now.
  }
}

function digests(pins: PinnedServer["pins"]): JsonValue {
  return PIN_KINDS.map((kind) => [...pins[kind]].map(([name, { digest }]) => [name, digest]));
}

function readSeen(path: string): PinnedServers {
  try {
    return readPinFile(path);
  } catch {
    return new Map();
  }
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").slice(0, 200);
}
