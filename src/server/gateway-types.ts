import type { JsonObject, JsonValue } from "../call/json.ts";
import type { ToolFacts } from "../call/tool-call.ts";
import type { Engine } from "../policy/engine.ts";
import type { ClientFacts } from "../session/session.ts";
import type { UpstreamEntry } from "../upstream/entry.ts";
import type { OpenLink } from "../upstream/link.ts";
import type { PinStore } from "../upstream/pins.ts";
import type { Slots } from "../upstream/slots.ts";
import type { Hello, Upstream } from "../upstream/upstream.ts";
import type { OpenCorridor } from "./corridor.ts";
import type { EdgeLog } from "./edge-log.ts";
import type { Exchange } from "./exchange.ts";
import type { ProbeAnswer } from "./gateway-probe.ts";
import type { Subscription } from "./gateway-subscription.ts";
import type { InFlight } from "./in-flight.ts";

/** Limits of what passes. */
export interface GatewayLimits {
  /** Milliseconds from forwarding a tools/call to its answer. */
  readonly timeoutMs: number;
  /** Bytes of a whole serialised result. */
  readonly maxResultBytes: number;
}

/** What all clients of one gateway process share. */
export interface GatewayParts {
  readonly entries: readonly UpstreamEntry[];
  readonly openLink: (entry: UpstreamEntry) => OpenLink;
  readonly pins: PinStore;
  readonly engine: Engine | undefined;
  readonly limits: GatewayLimits;
  readonly version: string;
  readonly note: (line: string) => void;
  readonly redact: (text: string) => string;
  /** What throw-away connections said to server/discover, by server id. */
  readonly probes: Map<string, Promise<ProbeAnswer>>;
  /** Slots of servers and tools with a concurrency limit. */
  readonly slots: Map<string, Slots>;
}

/** A client's request on its way through the gateway. */
export interface Owner {
  /** Key among the requests in flight. */
  readonly key: string;
  /** The client's id, as JSON text. */
  readonly idJson: string;
  readonly exchange: Exchange | undefined;
  /** The client's progress token. */
  readonly token: JsonValue | undefined;
  /** The tool that it calls. */
  readonly facts?: ToolFacts;
  /** The subscription that a server is listened to for. */
  readonly subscription?: Subscription;
}

/** A request of an upstream, or of ours, that the client has not answered yet. */
export interface Asked {
  readonly method: string;
  /** Takes `"result":…` or `"error":…` and the message itself. */
  readonly answer: (message: JsonObject, body: string) => void;
  /** The server that asks, and its own id; absent for a question of ours. */
  readonly upstream?: { readonly server: Upstream<Owner>; readonly id: string };
}

/** One client's side of the gateway, inside. */
export interface GatewayEdge {
  readonly parts: GatewayParts;
  readonly upstreams: readonly Upstream<Owner>[];
  readonly corridor: OpenCorridor;
  readonly log: EdgeLog;
  readonly inFlight: InFlight;
  /** Sends to the client outside of any exchange; false when it cannot be kept. */
  readonly send: (json: string) => boolean;
  readonly onAnswer: () => void;
  readonly asked: Map<string, Asked>;
  /** Reasons of cancellations, by key of the request. */
  readonly reasons: Map<string, string>;
  /** Facts of a tool by wire name. */
  readonly factsOf: (wireName: string) => ToolFacts;
  /** Confirmation states that went out in this session. */
  readonly states: Set<string>;
  /** Open subscriptions of a client of 2026-07-28 that Regate serves itself. */
  readonly subscriptions: Set<Subscription>;
  /** Keys of the subscriptions that watch a resource of a legacy server, by server id and uri. */
  readonly watched: Map<string, Set<string>>;
  readonly state: {
    /** What the first `initialize` said. */
    hello?: Hello;
    capabilities: JsonObject;
    facts?: ClientFacts;
    /** The client has finished its handshake. */
    isReady: boolean;
    /** Regate answered `initialize` itself. */
    answersItself: boolean;
    lastAsked: number;
    isClosing: boolean;
    /** Servers that a list was answered without. */
    readonly missed: Set<Upstream<Owner>>;
    readonly waited: Set<Upstream<Owner>>;
  };
}
