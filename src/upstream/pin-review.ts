import { PIN_KINDS, readPinFile, writePinFile, type PinKind, type PinnedServer, type PinnedServers } from "./pin-file.ts";
import type { PinPaths } from "./pin-paths.ts";
import { emptyPins } from "./pins.ts";

/** One difference between what is pinned and what a server listed last. */
export interface PinDifference {
  readonly server: string;
  readonly kind: PinKind | "server";
  readonly name: string;
  readonly status: "changed" | "new" | "gone";
  /** Definitions as indented JSON; empty where there is none. */
  readonly before: string;
  readonly after: string;
}

/** What a human is shown: per server what is pinned, and every difference. */
export interface PinReview {
  readonly servers: readonly { readonly id: string; readonly pinned: number; readonly differences: readonly PinDifference[] }[];
}

/**
 * Compares the lock file with what servers listed last.
 * @param only one server; all of them unless given
 * @throws Error when one of the files cannot be read
 */
export function reviewPins({ file, seen }: PinPaths, only?: string): PinReview {
  const [pinned, listed] = [named(file), named(seen)];
  const ids = [...new Set([...pinned.keys(), ...listed.keys()])].filter((id) => only === undefined || id === only);
  return {
    servers: ids
      .toSorted((a, b) => (a < b ? -1 : 1))
      .map((id) => ({
        id,
        pinned: PIN_KINDS.reduce((sum, kind) => sum + (pinned.get(id)?.pins[kind].size ?? 0), 0),
        differences: differencesOf(id, pinned.get(id), listed.get(id)),
      })),
  };
}

/** A lock file, with its path in what is thrown. */
function named(file: string): PinnedServers {
  try {
    return readPinFile(file);
  } catch (cause) {
    throw new Error(`lock file \`${file}\` cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

function differencesOf(server: string, pinned: PinnedServer | undefined, listed: PinnedServer | undefined): PinDifference[] {
  if (listed === undefined) return [];
  const [before, after] = [text(pinned?.identity), text(listed.identity)];
  const own: PinDifference[] =
    pinned === undefined || before === after ? [] : [{ server, kind: "server", name: server, status: "changed", before, after }];
  return [...own, ...PIN_KINDS.flatMap((kind) => kindDifferences({ server, kind, pinned, listed }))];
}

interface Compared {
  readonly server: string;
  readonly kind: PinKind;
  readonly pinned: PinnedServer | undefined;
  readonly listed: PinnedServer;
}

function kindDifferences({ server, kind, pinned, listed }: Compared): PinDifference[] {
  const [old, fresh] = [pinned?.pins[kind] ?? new Map(), listed.pins[kind]];
  // A kind that was never listed says nothing about what is pinned.
  const names = !listed.kinds.has(kind) ? [] : [...new Set([...old.keys(), ...fresh.keys()])];
  return names.flatMap((name) => {
    const [was, is] = [old.get(name), fresh.get(name)];
    if (was?.digest === is?.digest) return [];
    const status = was === undefined ? "new" : is === undefined ? "gone" : "changed";
    return [{ server, kind, name, status, before: text(was?.definition), after: text(is?.definition) }];
  });
}

function text(value: unknown): string {
  return value === undefined ? "" : `${JSON.stringify(value, undefined, 2)}\n`;
}

/** What is to be accepted: everything, one server, or one tool of it. */
export interface Accepted {
  readonly server?: string | undefined;
  readonly tool?: string | undefined;
}

/**
 * Pins what servers listed last. Whether a human does it is the caller's to know.
 * @returns the differences that were accepted
 * @throws Error when a file cannot be read or written, or the server or tool was never listed
 */
export function acceptPins(paths: PinPaths, { server, tool }: Accepted): readonly PinDifference[] {
  const [pinned, listed] = [named(paths.file), named(paths.seen)];
  if (server !== undefined && !listed.has(server)) throw new Error(`no server \`${server}\` has listed anything yet`);
  const ids = server === undefined ? [...listed.keys()] : [server];
  const before = ids.flatMap((id) => reviewPins(paths, id).servers.flatMap(({ differences }) => differences));
  let now: PinnedServers = pinned;
  for (const id of ids) now = new Map(now).set(id, accepted(now.get(id), listed.get(id), tool));
  writePinFile(paths.file, now);
  return before.filter(({ kind, name }) => tool === undefined || (kind === "tools" && name === tool));
}

function accepted(pinned: PinnedServer | undefined, listed: PinnedServer | undefined, tool: string | undefined): PinnedServer {
  if (listed === undefined) throw new Error("nothing was listed");
  const kinds = new Set([...(pinned?.kinds ?? []), ...(tool === undefined ? listed.kinds : ["tools" as const])]);
  if (tool === undefined) {
    const pins = PIN_KINDS.map((kind) => [kind, listed.kinds.has(kind) ? listed.pins[kind] : (pinned?.pins[kind] ?? new Map())]);
    return { identity: listed.identity, pins: Object.fromEntries(pins) as PinnedServer["pins"], kinds };
  }
  const definition = listed.pins.tools.get(tool);
  if (definition === undefined) throw new Error(`the server has not listed a tool \`${tool}\``);
  if (pinned !== undefined && text(pinned.identity) !== text(listed.identity)) {
    throw new Error("the server itself has changed: accept the whole server");
  }
  const pins = pinned?.pins ?? emptyPins();
  return { identity: listed.identity, pins: { ...pins, tools: new Map(pins.tools).set(tool, definition) }, kinds };
}
