import type { Readable, Writable } from "node:stream";
import { redactText } from "../audit/redact.ts";
import { osUser } from "../session/os-user.ts";
import type { UpstreamEntry } from "../upstream/entry.ts";
import { httpLink } from "../upstream/http-link.ts";
import type { OpenLink } from "../upstream/link.ts";
import { pinPaths } from "../upstream/pin-paths.ts";
import { openPins } from "../upstream/pins.ts";
import { type StdioLinkOptions, stdioLink } from "../upstream/stdio-link.ts";
import type { Confine } from "../upstream/stdio-process.ts";
import { createUpstream, type Upstream } from "../upstream/upstream.ts";
import { openClientSession, openParts, thenClose, type ClientUser, type ServerParts } from "./assemble.ts";
import type { Claim } from "../session/session.ts";
import type { Connection } from "./connection.ts";
import { createEdgeLog } from "./edge-log.ts";
import { confirmThrough, gatewayConnection } from "./gateway-connection.ts";
import { tellLate } from "./gateway-hello.ts";
import { createNames, type Names } from "./gateway-names.ts";
import type { GatewayEdge, GatewayLimits, GatewayParts, Owner } from "./gateway-types.ts";
import { passNotification, passRequest, withdrawQuestions } from "./gateway-upward.ts";
import type { ClientPeer, ClientPort } from "./http-port.ts";
import { openFront, type HttpServing } from "./http-serve.ts";
import { createInFlight } from "./in-flight.ts";
import type { SharedOptions } from "./server-options.ts";
import { httpSharers, stdioSharers } from "./sharing.ts";
import { serveStdio } from "./stdio.ts";

/** What a gateway is made of beside what it shares with `serve`. */
export interface GatewayOptions extends SharedOptions {
  readonly servers: readonly UpstreamEntry[];
  readonly limits: GatewayLimits;
  readonly pinsFile: string;
  /** The sandbox around servers; undefined where there is none. */
  readonly confine?: Confine | undefined;
}

/** Longest line of an upstream, beside the limit of results. */
const SPARE_BYTES = 32 * 1024 * 1024;

interface Gateway {
  readonly shared: ServerParts;
  readonly parts: GatewayParts;
}

function openGateway(options: GatewayOptions): Gateway {
  const { servers, limits, version, note, environment, engine, stateDir, pinsFile, confine } = options;
  const maxLineBytes = limits.maxResultBytes + SPARE_BYTES;
  const parts: GatewayParts = {
    entries: servers,
    openLink: (entry) => linkOf(entry, { environment, maxLineBytes, confine }),
    pins: openPins(pinPaths(pinsFile, stateDir), note),
    engine,
    limits,
    version,
    note,
    redact: redactText,
    probes: new Map(),
    slots: new Map(),
  };
  return { shared: openParts(options), parts };
}

function linkOf(entry: UpstreamEntry, stdio: StdioLinkOptions): OpenLink {
  return entry.kind === "stdio" ? stdioLink(entry, stdio) : httpLink(entry, { maxMessageBytes: stdio.maxLineBytes });
}

/** The way to one client. */
interface Side {
  readonly send: (json: string) => boolean;
  readonly onAnswer: () => void;
  /** Given while the client takes less than is sent. */
  readonly full?: () => Promise<unknown> | undefined;
  readonly who: ClientUser;
}

interface OpenClient {
  readonly claim: Claim;
  readonly connection: Connection;
  readonly corridor: GatewayEdge["corridor"];
}

/** Opens one client's session: a claim and a corridor of its own, and a connection of its own to every server. */
function openClient({ shared, parts }: Gateway, side: Side): OpenClient {
  let edge: GatewayEdge | undefined;
  const whenOpen = (act: (open: GatewayEdge) => void): void => {
    if (edge !== undefined && !edge.state.isClosing) act(edge);
  };
  const log = createEdgeLog(parts.note);
  const upstreams: readonly Upstream<Owner>[] = parts.entries.map((entry) =>
    createUpstream<Owner>({
      entry,
      open: parts.openLink(entry),
      pins: parts.pins,
      host: {
        onNotification: (server, message, flight) => whenOpen((open) => passNotification(open, server, { message, flight })),
        onRequest: (server, message, flight) => whenOpen((open) => passRequest(open, server, { message, flight })),
        onEnd: (server) => whenOpen((open) => withdrawQuestions(open, server)),
        onGone: (server) =>
          whenOpen((open) => {
            open.state.missed.add(server);
            tellLate(open, server);
          }),
        full: () => side.full?.(),
        note: parts.note,
        count: (kind) => log.count(kind),
        redact: parts.redact,
      },
    }),
  );
  const names: Names = createNames(upstreams, parts.engine, parts.note);
  const session = openClientSession(shared, side.who, { factsOf: names.factsOf });
  edge = {
    parts,
    upstreams,
    corridor: session.corridor,
    log,
    inFlight: createInFlight(),
    send: side.send,
    onAnswer: side.onAnswer,
    asked: new Map(),
    reasons: new Map(),
    factsOf: names.factsOf,
    states: new Set(),
    subscriptions: new Set(),
    watched: new Map(),
    state: { capabilities: {}, isReady: false, answersItself: false, lastAsked: 0, isClosing: false, missed: new Set(), waited: new Set() },
  };
  session.human.connect(confirmThrough(edge));
  for (const server of upstreams) server.start();
  return { claim: session.claim, corridor: session.corridor, connection: gatewayConnection(edge, names) };
}

/** A gateway that runs. */
export interface RunningGateway {
  readonly claim?: Claim;
  /** Resolves when it has ended, every server is gone and the logs are closed. */
  readonly ended: Promise<void>;
}

/** Starts the gateway for one client over stdio. */
export function startGateway(options: GatewayOptions & { readonly stdin: Readable; readonly stdout: Writable }): RunningGateway {
  const gateway = openGateway(options);
  const { stdin, stdout, stop, note, version } = options;
  const route = {
    answered: (): void => undefined,
    send: (_json: string): void => undefined,
    full: (): Promise<unknown> | undefined => undefined,
  };
  const client = openClient(gateway, {
    send: (json) => (route.send(json), true),
    onAnswer: () => route.answered(),
    full: () => route.full(),
    who: { ...osUser(), sharers: stdioSharers("proxy", options.sharing) },
  });
  const served = serveStdio({
    corridor: client.corridor,
    stdin,
    stdout,
    stop,
    version,
    stderrLine: note,
    open: ({ send, onAnswer, full }) => {
      Object.assign(route, { send, answered: onAnswer, full });
      return Promise.resolve(client.connection);
    },
  });
  return { claim: client.claim, ended: thenClose(served, gateway.shared) };
}

/** A gateway that accepts connections. */
export interface RunningHttpGateway extends RunningGateway {
  readonly url: string;
}

/**
 * Starts the gateway for many clients over HTTP.
 * @throws when the address cannot be listened on
 */
export async function startHttpGateway(
  options: GatewayOptions & {
    readonly http: HttpServing;
  },
): Promise<RunningHttpGateway> {
  const gateway = openGateway(options);
  try {
    const { http, stop, note } = options;
    const front = await openFront({ http, stop, note, openPeer: (port) => Promise.resolve(openPeer(gateway, port)) });
    return { url: front.url, ended: thenClose(front.ended, gateway.shared) };
  } catch (error) {
    await gateway.shared.starlark.close();
    throw error;
  }
}

function openPeer(gateway: Gateway, port: ClientPort): ClientPeer {
  const { principal } = port;
  const user = principal === undefined ? osUser() : { user: principal.subject, groups: principal.groups };
  const who = { ...user, sharers: httpSharers("proxy", port) };
  const { connection, corridor } = openClient(gateway, { send: (json) => port.send(json), onAnswer: () => undefined, who });
  return {
    ...connection,
    async close() {
      await corridor.close();
      await connection.idle();
      await connection.close();
    },
  };
}
