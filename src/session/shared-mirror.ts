import { createHash } from "node:crypto";
import { lookQuietly, type IdentityLook, type IdentityWatch } from "./identity-watch.ts";
import type { IdentityState } from "./identity-state.ts";
import type { ProfileSource } from "./active-profile.ts";
import type { SharedLook, SharedMoment } from "./shared-store.ts";
import type { Usage } from "./session.ts";
import type { UsageCounter } from "./usage.ts";

/** A look at the active profile, in the form of this front and in that of all. */
export interface MirrorLook {
  readonly own: IdentityLook;
  readonly shared: SharedLook;
}

/** What a front last knew of a shared session: what the gate reads while a call is judged, in place of state of its own. */
export interface SharedMirror {
  readonly identity: IdentityState;
  readonly watch: IdentityWatch;
  readonly usage: UsageCounter;
  /** Who is active on this front now. */
  look(): MirrorLook;
  /** Takes over what the store gave; until `unload` the watch sees this look. */
  load(moment: SharedMoment, look: MirrorLook, tool: string): void;
  /** The store cannot be used: nothing counts as confirmed. */
  lose(): void;
  unload(): void;
  /** No call is being judged: what the store has said meanwhile may be shown. */
  isIdle(): boolean;
}

/** What a mirror is made of. */
export interface MirrorOptions {
  readonly source: ProfileSource;
  readonly report?: ((problem: unknown) => void) | undefined;
  /** Unix milliseconds at which the session began on this front. */
  readonly startedAt: number;
}

const NO_USAGE: Usage = { calls: 0, tool_calls: 0, calls_last_minute: 0, running: 0, denied: 0, elapsed_seconds: 0 };

/** Makes a mirror that knows nothing yet: armed, all counters at zero. */
export function createSharedMirror({ source, report, startedAt }: MirrorOptions): SharedMirror {
  const lookNow = lookQuietly(source, report);
  const identity = mirroredIdentity();
  let loaded: IdentityLook | undefined;
  let usage = { ...NO_USAGE, tool: "" };
  const look = (): IdentityLook => ({ ...lookNow(), lapsed: false });
  return {
    identity: identity.state,
    watch: { look: () => loaded ?? look(), take: nothing, record: () => false, switchStarts: () => nothing, mutated: nothing },
    usage: {
      judged: nothing,
      denied: nothing,
      started: () => nothing,
      view(tool, now) {
        const { tool: counted, ...known } = usage;
        const own = Math.max(0, Math.floor((now - startedAt) / 1_000));
        return {
          ...known,
          tool_calls: tool === counted ? known.tool_calls : 0,
          elapsed_seconds: Math.max(known.elapsed_seconds, own),
        };
      },
    },
    look() {
      const own = look();
      return { own, shared: { mark: digestOf(own.profile.mark), label: own.profile.label } };
    },
    load(moment, { own }, tool) {
      identity.load(moment);
      usage = { ...moment.usage, tool };
      loaded = own;
    },
    lose: () => identity.lose(),
    unload() {
      loaded = undefined;
    },
    isIdle: () => loaded === undefined,
  };
}

/** Every change of it is one of the store's. */
function nothing(): void {
  return undefined;
}

/** A mark holds internal ids of profiles: they stay here. */
function digestOf(mark: string): string {
  return createHash("sha256").update(mark).digest("base64url");
}

/**
 * The state as it was last read. A state that was lost and made anew begins with low epochs again: here they go on from what was seen, so
 * that what was shown to a human under the state before is stale.
 */
function mirroredIdentity() {
  let known = { confirmed: false, profile: null as string | null, epoch: 0 };
  let generation: string | undefined;
  let ahead = 0;
  const state: IdentityState = {
    get identityConfirmed() {
      return known.confirmed;
    },
    get epoch() {
      return known.epoch;
    },
    recordIdentityRead(profile = null) {
      known = { ...known, confirmed: true, profile };
    },
    rearm() {
      known = { confirmed: false, profile: null, epoch: known.epoch + 1 };
    },
    view: () => ({ identity_confirmed: known.confirmed, confirmed_profile: known.profile, epoch: known.epoch }),
    rearmedView: () => ({ identity_confirmed: false, confirmed_profile: null, epoch: known.epoch + 1 }),
  };
  return {
    state,
    load({ stamp, confirmed, profile }: SharedMoment): void {
      if (generation !== undefined && generation !== stamp.generation) ahead = Math.max(ahead, known.epoch + 1 - stamp.epoch);
      generation = stamp.generation;
      known = { confirmed, profile, epoch: stamp.epoch + ahead };
    },
    lose(): void {
      known = { ...known, confirmed: false, profile: null };
    },
  };
}
