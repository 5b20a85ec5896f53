import { existsSync } from "node:fs";
import type { JsonObject } from "../call/json.ts";
import { identityOf, type UpstreamEntry } from "./entry.ts";
import type { Incoming } from "./incoming.ts";
import { readPages, type ListMethod, type Pages } from "./paged.ts";
import { askPeer, openPeer, type Flight, type Peer, type PeerAnswer } from "./peer.ts";
import { createStderrTail } from "./stderr-tail.ts";
import { NO_TOOLS, notServed, toolTable, type ToolTable } from "./tool-table.ts";
import type { Hello, Upstream, UpstreamOptions } from "./upstream.ts";

/** One connection of an upstream's life, from its opening to its end. */
export interface Life<Owner> {
  readonly peer: Promise<Peer<Owner | undefined>>;
  open?: Peer<Owner | undefined>;
  greeted?: Promise<PeerAnswer>;
  /** What the server said at the handshake; set once it is greeted. */
  greeting?: JsonObject;
  isInitialized: boolean;
  settling?: Promise<boolean>;
  /** Present while a listing waits for its turn, because the server said that its tools changed: whoever says so again waits for the same. */
  changed?: Promise<void>;
  isListed: boolean;
  isOver: boolean;
}

/** One server of one session, inside. */
export interface Self<Owner> {
  readonly options: UpstreamOptions<Owner>;
  readonly server: Upstream<Owner>;
  readonly closing: AbortController;
  readonly state: {
    life?: Life<Owner>;
    hello?: Hello;
    /** A greeting was answered: from then on the server is greeted in no other way. */
    wasGreeted: boolean;
    mayInitialize: boolean;
    table: ToolTable;
    /** How the server refused the handshake, if it did: the end of a line. */
    refused?: string;
    /** What was told about the table last. */
    problems: string;
    /** Listings run one after the other. */
    listing: Promise<unknown>;
    /** Present while the server's tools are being listed because it said that they changed. */
    changing?: Promise<void>;
  };
}

const TOOLS: ListMethod = { method: "tools/list", key: "tools" };
const NONE: PeerAnswer = { kind: "result", result: {}, numbers: [] };

/** The connection that is there, or a new one. */
export function beginLife<Owner>(self: Self<Owner>): Life<Owner> {
  const { state } = self;
  if (state.life !== undefined && !state.life.isOver) return state.life;
  const life: Life<Owner> = { peer: connect(self, () => life), isInitialized: false, isListed: false, isOver: false };
  life.peer.then(
    (peer) => (life.open = peer),
    () => undefined,
  );
  state.life = life;
  return life;
}

async function connect<Owner>(self: Self<Owner>, life: () => Life<Owner>): Promise<Peer<Owner | undefined>> {
  // The caller keeps the life before anything can happen to it.
  await Promise.resolve();
  const { open, host, entry } = self.options;
  const tail = createStderrTail();
  const redact = (text: string): string => host.redact(text);
  const events = {
    onNotification: (message: Incoming & { kind: "notification" }, flight: Flight<Owner | undefined> | undefined) =>
      void notified(self, life(), { message, flight }),
    onRequest: (message: Incoming & { kind: "request" }, flight: Flight<Owner | undefined> | undefined) =>
      host.onRequest(self.server, message, flight),
    onEnd: (reason: string) => ended(self, life(), `${reason}${tail.text(redact)}`),
    onStderr: tail.add,
    full: () => host.full?.(),
    onDropped: (kind: string) => host.count(`server \`${entry.id}\`: ${kind}`),
  };
  try {
    return await openPeer<Owner | undefined>(open, events, self.closing.signal);
  } catch (error) {
    ended(self, life(), `cannot be started: ${startProblem(entry, error)}`);
    throw error;
  }
}

/** The system names the command, and says `ENOENT`, when it is the working directory that is missing. */
function startProblem(entry: UpstreamEntry, error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  const isOfFolder = text.endsWith(" ENOENT") && entry.kind === "stdio" && entry.cwd !== undefined && !existsSync(entry.cwd);
  return isOfFolder ? `its \`cwd\` \`${entry.cwd}\` does not exist` : text;
}

function ended<Owner>({ closing, options, server }: Self<Owner>, life: Life<Owner>, reason: string): void {
  const wasOver = life.isOver;
  life.isOver = true;
  if (closing.signal.aborted || wasOver) return;
  options.host.onEnd(server);
  options.host.note(`server \`${options.entry.id}\` ${reason.replaceAll(/[\r\n]+/g, " ").slice(0, 1_000)}`);
  if (life.isListed) options.host.onGone(server);
}

/** Pins are checked before a change of the list is passed on (reference/gateway.md, Pins). */
async function notified<Owner>(
  self: Self<Owner>,
  life: Life<Owner>,
  { message, flight }: { message: Incoming & { kind: "notification" }; flight: Flight<Owner | undefined> | undefined },
): Promise<void> {
  if (message.method === "notifications/tools/list_changed" && life.isListed) {
    const listing = listChanged(self, life);
    self.state.changing = listing;
    await listing;
    if (self.state.changing === listing) delete self.state.changing;
  }
  self.options.host.onNotification(self.server, message, flight);
}

/** Greets a connection once. */
export function greetLife<Owner>(self: Self<Owner>, life: Life<Owner>): Promise<PeerAnswer> {
  life.greeted ??= greeting(self, life);
  return life.greeted;
}

async function greeting<Owner>(self: Self<Owner>, life: Life<Owner>): Promise<PeerAnswer> {
  const { hello } = self.state;
  if (hello === undefined) throw new Error("nobody said how the server is greeted");
  const peer = await life.peer.catch(() => undefined);
  if (peer === undefined) return { kind: "lost", sent: false };
  const answer =
    hello.era === "modern" ? NONE : await askPeer(peer, { method: "initialize", params: hello.params, owner: undefined }).answer;
  if (answer.kind === "error") self.state.refused = refusedText(answer.error, (text) => self.options.host.redact(text));
  if (answer.kind !== "result") return answer;
  self.state.wasGreeted = true;
  life.greeting = withoutUnpinned(self, answer.result);
  sendInitialized(self, life);
  return { ...answer, result: life.greeting };
}

/** A server that knows revision 2026-07-28 alone has no handshake, and nothing can be added to the requests of an older client for it. */
function refusedText({ code, message }: JsonObject, redact: (text: string) => string): string {
  const said = typeof message === "string" ? redact(message.replaceAll(/[^\P{C}]/gu, "?").slice(0, 160)) : "";
  const isUnknown = code === -32601 || code === -32022;
  const hint = isUnknown ? "; a server of revision 2026-07-28 alone serves clients of that revision only" : "";
  return `: it refused the handshake (${typeof code === "number" ? code : "no code"}, \`${said}\`)${hint}`;
}

/** Changed instructions are left out, and what is no text at all (reference/gateway.md, Pins). */
function withoutUnpinned<Owner>({ server, options }: Self<Owner>, result: JsonObject): JsonObject {
  const { instructions, ...rest } = result;
  const given = typeof instructions === "string" ? [{ name: "instructions", definition: instructions }] : [];
  const status = server.observe("instructions", given).get("instructions");
  if (instructions === undefined) return result;
  if (status === "pinned") return result;
  options.host.note(`server \`${options.entry.id}\`: its instructions are left out (${status ?? "no text"}): see \`regate pins show\``);
  return rest;
}

/** Sends `notifications/initialized` once, when both sides are ready for it. */
export function sendInitialized<Owner>({ state }: Self<Owner>, life: Life<Owner>): void {
  if (!state.mayInitialize || life.greeting === undefined || life.isInitialized || state.hello?.era !== "legacy") return;
  life.isInitialized = true;
  life.open?.notify("notifications/initialized");
}

/** Handshake and first listing. */
export async function settleLife<Owner>(self: Self<Owner>, life: Life<Owner>): Promise<boolean> {
  const answer = await greetLife(self, life);
  if (answer.kind !== "result" || life.isOver) return false;
  self.state.mayInitialize = true;
  sendInitialized(self, life);
  await relist(self, life, undefined);
  return !life.isOver;
}

/** Lists the tools and makes the table anew; undefined when the connection is over. */
export function relist<Owner>(self: Self<Owner>, life: Life<Owner>, params: JsonObject | undefined): Promise<Pages | undefined> {
  return inTurn(self, () => listOnce(self, life, params));
}

function listChanged<Owner>(self: Self<Owner>, life: Life<Owner>): Promise<void> {
  life.changed ??= inTurn(self, async () => {
    delete life.changed;
    await listOnce(self, life, undefined);
  });
  return life.changed;
}

function inTurn<Owner, Result>({ state }: Self<Owner>, list: () => Promise<Result>): Promise<Result> {
  const next = state.listing.then(list);
  state.listing = next.catch(() => undefined);
  return next;
}

async function listOnce<Owner>(self: Self<Owner>, life: Life<Owner>, params: JsonObject | undefined): Promise<Pages | undefined> {
  const { state, server } = self;
  if (life.open === undefined || life.isOver) return undefined;
  const pages = await readPages(life.open, TOOLS, params ?? ownParams(self));
  if (pages.kind === "listed") {
    state.table = toolTable(pages.entries, (listed) => server.observe("tools", listed));
    report(self);
  } else if (pages.kind === "error") {
    state.table = NO_TOOLS;
  }
  life.isListed = !life.isOver;
  return pages;
}

/** Params of requests that Regate sends on its own. */
export function ownParams<Owner>({ state }: Self<Owner>): JsonObject | undefined {
  return state.hello?.era === "modern" ? { _meta: state.hello.meta } : undefined;
}

/** Tells on stderr what is not served, once for each state of affairs. */
function report<Owner>({ state, options }: Self<Owner>): void {
  const { tools, ambiguous } = state.table;
  const { entry, pins } = options;
  const missing = pins.missingTools({ id: entry.id, identity: identityOf(entry) }, new Set([...tools.keys(), ...ambiguous]));
  const lines = notServed(state.table, missing);
  const text = lines.join("\n");
  if (text !== state.problems) for (const line of lines) options.host.note(`server \`${options.entry.id}\`: ${line}`);
  state.problems = text;
}
