import { isJsonObject, type JsonObject } from "../call/json.ts";
import { within } from "../wire/within.ts";
import { identityOf, type UpstreamEntry } from "./entry.ts";
import { holdsHiddenText } from "./hidden-text.ts";
import type { Incoming } from "./incoming.ts";
import { beginLife, greetLife, ownParams, relist, sendInitialized, settleLife, type Self } from "./life.ts";
import type { OpenLink } from "./link.ts";
import { readPages, type ListMethod, type Pages } from "./paged.ts";
import type { Flight, Peer, PeerAnswer } from "./peer.ts";
import type { PinKind } from "./pin-file.ts";
import type { Listed, PinStatus, PinStore } from "./pins.ts";
import { NO_TOOLS, type ToolTable } from "./tool-table.ts";

/** How an upstream is greeted: the handshake of the legacy revisions, or nothing (2026-07-28). */
export type Hello =
  | { readonly era: "legacy"; readonly params: string }
  /** `meta`: the envelope for the requests that Regate sends on its own. */
  | { readonly era: "modern"; readonly meta: JsonObject };

/** Whoever one upstream connection belongs to. None of these may throw. */
export interface UpstreamHost<Owner> {
  onNotification(
    server: Upstream<Owner>,
    message: Incoming & { kind: "notification" },
    flight: Flight<Owner | undefined> | undefined,
  ): void;
  onRequest(server: Upstream<Owner>, message: Incoming & { kind: "request" }, flight: Flight<Owner | undefined> | undefined): void;
  /** The connection is over: nobody waits any more for what the upstream has asked. */
  onEnd(server: Upstream<Owner>): void;
  /** What can be served has changed without a word of the upstream: it is gone. */
  onGone(server: Upstream<Owner>): void;
  /** Given while the client has not taken enough of what came: nothing more is read from the server until it resolves. */
  full?(): Promise<unknown> | undefined;
  /** Takes one line for stderr. */
  note(line: string): void;
  /** Counts what was dropped. */
  count(kind: string): void;
  /** Erases secrets from a text of the upstream. */
  redact(text: string): string;
}

/** What an upstream is made of. */
export interface UpstreamOptions<Owner> {
  readonly entry: UpstreamEntry;
  readonly open: OpenLink;
  readonly pins: PinStore;
  readonly host: UpstreamHost<Owner>;
}

/** One server behind one client session, through crashes and restarts. */
export interface Upstream<Owner> {
  readonly entry: UpstreamEntry;
  /** Opens the connection if there is none, or the last one is over; nothing is said on it. Nothing else starts a server again. */
  start(): void;
  /** Greets the server, as given until it has answered once, and after a restart likewise again; gives its answer to `initialize`, `lost` when it is down. */
  greet(hello: Hello): Promise<PeerAnswer>;
  /** The client has said `notifications/initialized`, or may be taken to have. */
  initialized(): void;
  /** Brings a server up that is starting: handshake, list of tools. Tells whether it is up. */
  settle(): Promise<boolean>;
  /** `up`: listed and usable; `starting`: may come up yet; `down`: a call has to start it. */
  readonly status: () => "up" | "starting" | "down";
  readonly table: () => ToolTable;
  /** Present while the table is being made anew because the server said that its tools changed: calls wait for it. */
  readonly changing: () => Promise<void> | undefined;
  /** Lists the tools again, with the client's own params; undefined when the server is down. */
  listTools(params: JsonObject | undefined): Promise<Pages | undefined>;
  /** Lists something else; undefined when the server is down. */
  list(method: ListMethod, params: JsonObject | undefined): Promise<Pages | undefined>;
  /** Asks the pins about definitions of a kind; hidden text counts as `changed`. */
  observe(kind: PinKind, listed: readonly Listed[]): ReadonlyMap<string, PinStatus>;
  /** The connection, if there is one that is greeted. */
  peer(): Peer<Owner | undefined> | undefined;
  /** The connection, greeted or not: a server may ask before it has answered `initialize`. */
  wire(): Peer<Owner | undefined> | undefined;
  /** The result of `initialize`; empty before it and for a modern server. */
  readonly greeting: () => JsonObject;
  readonly era: () => Hello["era"] | undefined;
  close(): Promise<void>;
}

/** How long a server may take to come up when somebody waits for it. */
const START_MS = 30_000;

/** Makes one server of one session; nothing is started yet. */
export function createUpstream<Owner>(options: UpstreamOptions<Owner>): Upstream<Owner> {
  const closing = new AbortController();
  const state = { wasGreeted: false, mayInitialize: false, table: NO_TOOLS, problems: "", listing: Promise.resolve() };
  const server: Upstream<Owner> = {
    entry: options.entry,
    start: () => void beginLife(self),
    greet(hello) {
      const life = self.state.life ?? beginLife(self);
      const isOpen = life.greeted === undefined && !self.state.wasGreeted;
      if (self.state.hello === undefined || isOpen) self.state.hello = hello;
      return life.isOver ? Promise.resolve({ kind: "lost", sent: false }) : greetLife(self, life);
    },
    initialized() {
      self.state.mayInitialize = true;
      if (self.state.life !== undefined) sendInitialized(self, self.state.life);
    },
    settle: () => settle(self),
    status() {
      const { life } = self.state;
      if (life === undefined || life.isOver) return "down";
      return life.isListed ? "up" : "starting";
    },
    table: () => self.state.table,
    changing: () => self.state.changing,
    listTools: async (params) => (isAlive(self) && self.state.life ? await relist(self, self.state.life, params) : undefined),
    async list(method, params) {
      const open = server.peer();
      return open === undefined ? undefined : await readPages(open, method, params ?? ownParams(self));
    },
    observe: (kind, listed) => observe(options, kind, listed),
    peer: () => (isAlive(self) && self.state.life?.greeting !== undefined ? self.state.life.open : undefined),
    wire: () => (isAlive(self) ? self.state.life?.open : undefined),
    greeting: () => self.state.life?.greeting ?? {},
    era: () => self.state.hello?.era,
    close: () => close(self),
  };
  const self: Self<Owner> = { options, state, closing, server };
  return server;
}

function isAlive<Owner>({ state }: Self<Owner>): boolean {
  return state.life?.isOver === false;
}

async function settle<Owner>(self: Self<Owner>): Promise<boolean> {
  const { life } = self.state;
  if (life === undefined || life.isOver || self.closing.signal.aborted) return false;
  life.settling ??= settleLife(self, life);
  const isUp = await within(START_MS, life.settling);
  if (isUp !== true && !life.isOver && !self.closing.signal.aborted) {
    self.options.host.note(`server \`${self.options.entry.id}\` did not come up${self.state.refused ?? ""}`);
    life.isOver = true;
    const closed = life.peer.then(
      (peer) => peer.close(),
      () => undefined,
    );
    // One that is still being opened is closed when it is there; nobody waits for that.
    if (life.open !== undefined) await closed;
  }
  return isUp === true && !life.isOver;
}

function observe<Owner>({ entry, pins }: UpstreamOptions<Owner>, kind: PinKind, listed: readonly Listed[]): ReadonlyMap<string, PinStatus> {
  const clean = listed.filter(({ definition }) => !holdsHiddenText(definition));
  const statuses = new Map(pins.observe({ id: entry.id, identity: identityOf(entry) }, kind, clean));
  for (const { name } of listed) if (!statuses.has(name)) statuses.set(name, "changed");
  return statuses;
}

async function close<Owner>({ closing, state }: Self<Owner>): Promise<void> {
  closing.abort();
  const { life } = state;
  const peer = life === undefined || life.isOver ? undefined : await life.peer.catch(() => undefined);
  await peer?.close();
}

/** Whether a server said that it has something, such as `prompts`. */
export function hasCapability(greeting: JsonObject, name: string): boolean {
  const { capabilities } = greeting;
  return isJsonObject(capabilities) && isJsonObject(capabilities[name]);
}
