import { randomBytes } from "node:crypto";
import { z } from "zod";
import type { JsonObject } from "../call/json.ts";
import { deadlineIn, isOver } from "./approval-clock.ts";
import { appendToChain, readChain } from "./chain-file.ts";
import type { ChainPlace, ChainState } from "./chain-file.ts";
import { countUses } from "./elevation-uses.ts";
import { governError } from "./govern-error.ts";
import type { SigningKey } from "./key-pair.ts";
import { PUBLIC_ID } from "./names.ts";
import { agentIdSchema, checked, reasonSchema, sessionIdSchema } from "./scope.ts";
import type { ChainEntry } from "./signed-chain.ts";

/** Role that the shipped policies know (design §1, rule `ai_agent`). */
export const DEFAULT_ROLE = "human-approved-agent";

const grantBody = z
  .strictObject({
    kind: z.literal("grant"),
    id: z.string().regex(PUBLIC_ID),
    role: z.string().regex(/^[a-z][a-z0-9_-]{0,63}$/),
    reason: reasonSchema,
    tools: z
      .array(z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/))
      .min(1)
      .max(64),
    session: sessionIdSchema.optional(),
    agent: agentIdSchema.optional(),
    expires_at: z.iso.datetime(),
    monotonic: z.strictObject({ boot: z.string(), until_ms: z.number() }).optional(),
    uses: z.int().min(1).max(10_000).optional(),
  })
  .refine(({ session, agent }) => session !== undefined || agent !== undefined, { path: ["session"] });

const dropBody = z.strictObject({ kind: z.literal("drop"), id: z.string().regex(PUBLIC_ID), reason: reasonSchema });

/** One elevation with all that is known of it. */
export interface Elevation {
  readonly id: string;
  readonly role: string;
  readonly reason: string;
  /** Wire names of the tools that it covers. */
  readonly tools: readonly string[];
  readonly session?: string;
  readonly agent?: string;
  /** RFC 3339 UTC, like all times here. */
  readonly granted_at: string;
  readonly granted_by: string;
  readonly expires_at: string;
  readonly monotonic?: { readonly boot: string; readonly until_ms: number };
  /** Calls that it covers; absent: any number until it expires. */
  readonly uses?: number;
  readonly dropped?: { readonly at: string; readonly by: string; readonly reason: string };
}

/** How an elevation stands. */
export type ElevationState = "active" | "expired" | "dropped" | "used_up";

/** An elevation as lists show it. */
export interface ElevationView extends Omit<Elevation, "monotonic" | "dropped"> {
  readonly state: ElevationState;
  /** Uses so far, of one that has a number of them. */
  readonly used?: number;
  readonly dropped_at?: string;
  readonly dropped_by?: string;
  readonly drop_reason?: string;
}

/** One line of the chain without its proof. */
export interface ElevationLine extends JsonObject {
  seq: number;
  time: string;
  key: string;
}

/** The proven chain, every elevation of it, and those that are in force. */
export interface ElevationList {
  readonly chain: readonly ElevationLine[];
  readonly elevations: readonly ElevationView[];
  readonly active: readonly ElevationView[];
}

/** What a human grants. */
export interface GrantRequest {
  readonly role?: string;
  readonly reason: string;
  readonly tools: readonly string[];
  /** At least one of session and agent. */
  readonly session?: string;
  readonly agent?: string;
  readonly seconds: number;
  readonly uses?: number;
}

/** Who signs, and when. */
export interface Signed {
  readonly key: SigningKey;
  readonly now: Date;
}

/** The chain of elevations in a state directory. */
export const elevationChain = (stateDir: string): ChainPlace => ({ stateDir, name: "elevations" });

/**
 * Grants an elevation: a signed entry of the chain, durable before it returns (design §8).
 * @throws GovernError `govern.invalid`, `govern.chain_broken`, `govern.decision_forbidden`, `govern.store_busy`, `govern.store_unwritable`
 */
export function grantElevation(stateDir: string, request: GrantRequest, { key, now }: Signed): ElevationView {
  const { role = DEFAULT_ROLE, reason, tools, session, agent, seconds, uses } = request;
  if (!(Number.isSafeInteger(seconds) && seconds > 0 && seconds <= 86_400))
    throw governError("govern.invalid", "the elevation: its time must be above zero and at most 24 hours");
  const { expires_at, monotonic } = deadlineIn(seconds, now);
  const body = checked(
    grantBody,
    {
      kind: "grant",
      id: randomBytes(16).toString("hex"),
      role,
      reason,
      tools: [...new Set(tools)],
      ...(session === undefined ? {} : { session }),
      ...(agent === undefined ? {} : { agent }),
      expires_at,
      ...(monotonic === undefined ? {} : { monotonic }),
      ...(uses === undefined ? {} : { uses }),
    },
    "the elevation",
  );
  const entry = appendToChain(elevationChain(stateDir), { body: plain(body), time: now }, key);
  const [granted] = elevationsIn([entry]);
  if (granted === undefined) throw governError("govern.invalid", "the elevation cannot be read back");
  return viewOf(stateDir, granted, now);
}

/**
 * Drops an elevation: it covers no call from now on.
 * @throws GovernError `govern.not_found` for one that is not in the chain, `govern.already_decided` for one that was dropped, and those of `grantElevation`
 */
export function dropElevation(
  stateDir: string,
  drop: { readonly id: string; readonly reason: string },
  { key, now }: Signed,
): ElevationView {
  const known = elevationsIn(entriesOf(readChain(elevationChain(stateDir)))).find(({ id }) => id === drop.id);
  if (known === undefined) throw governError("govern.not_found", `no elevation has the id \`${drop.id}\``);
  if (known.dropped !== undefined) throw governError("govern.already_decided", `elevation \`${drop.id}\` is dropped already`);
  const body = checked(dropBody, { kind: "drop", id: drop.id, reason: drop.reason }, "the elevation");
  const entry = appendToChain(elevationChain(stateDir), { body: plain(body), time: now }, key);
  return viewOf(stateDir, { ...known, dropped: { at: entry.time, by: entry.key, reason: body.reason } }, now);
}

/**
 * The chain and what follows from it.
 * @throws GovernError `govern.chain_missing`, `govern.chain_broken`: then nothing of it can be believed (design §8)
 */
export function listElevations(stateDir: string, now: Date): ElevationList {
  const entries = entriesOf(readChain(elevationChain(stateDir)));
  const elevations = elevationsIn(entries).map((elevation) => viewOf(stateDir, elevation, now));
  return {
    chain: entries.map(lineOf),
    elevations,
    active: elevations.filter(({ state }) => state === "active"),
  };
}

/** Whether the chain holds: how many entries are proven, or where and why it breaks. */
export function verifyElevations(stateDir: string): ChainState {
  return readChain(elevationChain(stateDir));
}

/** The elevations of proven entries, in the order of their grants. An entry of another form is none: its signer used a newer program. */
export function elevationsIn(entries: readonly ChainEntry[]): readonly Elevation[] {
  const byId = new Map<string, Elevation>();
  for (const entry of entries) {
    const grant = grantBody.safeParse(entry.body);
    const drop = dropBody.safeParse(entry.body);
    if (grant.success && !byId.has(grant.data.id)) byId.set(grant.data.id, grantedIn(entry, grant.data));
    const dropped = drop.success ? byId.get(drop.data.id) : undefined;
    if (drop.success && dropped !== undefined && dropped.dropped === undefined)
      byId.set(dropped.id, { ...dropped, dropped: { at: entry.time, by: entry.key, reason: drop.data.reason } });
  }
  return [...byId.values()];
}

/** Whether time or a human has ended an elevation. */
export function isEnded({ granted_at: created_at, expires_at, monotonic, dropped }: Elevation, now: Date): boolean {
  return dropped !== undefined || isOver({ created_at, expires_at, monotonic }, now);
}

function grantedIn({ time, key }: ChainEntry, { kind: _kind, ...grant }: z.infer<typeof grantBody>): Elevation {
  return Object.freeze({ ...grant, granted_at: time, granted_by: key }) as Elevation;
}

function viewOf(stateDir: string, elevation: Elevation, now: Date): ElevationView {
  const { monotonic: _monotonic, dropped, ...shown } = elevation;
  const used = elevation.uses === undefined ? undefined : Math.min(countUses(stateDir, elevation.id), elevation.uses);
  return {
    ...shown,
    state:
      dropped !== undefined
        ? "dropped"
        : isEnded(elevation, now)
          ? "expired"
          : used === elevation.uses && used !== undefined
            ? "used_up"
            : "active",
    ...(used === undefined ? {} : { used }),
    ...(dropped === undefined ? {} : { dropped_at: dropped.at, dropped_by: dropped.by, drop_reason: dropped.reason }),
  };
}

function entriesOf(state: ChainState): readonly ChainEntry[] {
  if (state.kind === "missing") throw governError("govern.chain_missing", "there is no chain of elevations: nothing was ever granted");
  if (state.kind === "broken") throw governError("govern.chain_broken", `the chain of elevations does not hold: ${state.reason}`);
  return state.entries;
}

function lineOf({ seq, time, key, body: { monotonic: _monotonic, ...body } }: ChainEntry): ElevationLine {
  return { seq, time, key, ...body };
}

function plain(body: object): JsonObject {
  return body as JsonObject;
}
