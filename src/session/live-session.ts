import { fix } from "../call/fixed.ts";
import { labelSource } from "./active-profile.ts";
import type { ProfileSource } from "./active-profile.ts";
import { SessionIdentityState, type IdentityState } from "./identity-state.ts";
import { createIdentityWatch } from "./identity-watch.ts";
import type { IdentityLook, IdentityRules, IdentityWatch } from "./identity-watch.ts";
import type { Claim, ClientFacts, SessionView } from "./session.ts";
import type { SharedMirror } from "./shared-mirror.ts";
import { createUsage } from "./usage.ts";
import type { UsageCounter } from "./usage.ts";

const MAX_SELF_NAME = 256;

/** What a session is made of. */
export interface SessionOptions {
  readonly claim: Claim;
  readonly user: string;
  readonly groups: readonly string[];
  /** Unix milliseconds. */
  readonly startedAt: number;
  /** Label of the active profile, read anew for each call; null when there is none. */
  readonly activeProfile?: (() => string | null) | undefined;
  /** Tells more about the active profile than its label; used in place of `activeProfile`. */
  readonly profiles?: ProfileSource | undefined;
  readonly identity?: SessionIdentityState | undefined;
  readonly identityRules?: IdentityRules | undefined;
  /** What the state is read from, where fronts share it. */
  readonly mirror?: SharedMirror | undefined;
  /** Unix milliseconds; the clock unless given. */
  readonly now?: (() => number) | undefined;
  /** Told when the active profile cannot be known. */
  readonly report?: ((problem: unknown) => void) | undefined;
}

/** One session while it lasts: the claim never changes, the rest does. */
export interface LiveSession {
  readonly claim: Claim;
  readonly identity: IdentityState;
  readonly watch: IdentityWatch;
  readonly usage: UsageCounter;
  setClient(facts: ClientFacts): void;
  client(): ClientFacts;
  canElicit(): boolean;
  /** Says who the session belongs to from now on; calls that were judged keep what they were judged with. */
  identify(user: string, groups: readonly string[]): void;
  /**
   * One moment of the session, as the gate sees it before judging a call of `tool` at `now` (Unix milliseconds).
   * @param look what was found out about the active profile; looks by itself unless given, and changes nothing either way
   */
  view(tool: string, now: number, look?: IdentityLook): SessionView;
}

/** Makes a session around a claim (design §3): armed, with counters at zero and a client that can do nothing yet. */
export function createSession(options: SessionOptions): LiveSession {
  const { claim } = options;
  let who = whoOf(options.user, options.groups);
  const { identity, watch, usage } = options.mirror ?? ownState(options);
  let active: SessionView["profile"] = fix({ active: null });
  let client: ClientFacts = fix({ elicitation: false });
  let lastGiven: ClientFacts | undefined;
  return {
    claim,
    identity,
    watch,
    usage,
    setClient(given) {
      if (given === lastGiven) return;
      lastGiven = given;
      const { elicitation, name, version } = given;
      const facts = { elicitation, ...fit("name", name), ...fit("version", version) };
      const isNew = facts.elicitation !== client.elicitation || facts.name !== client.name || facts.version !== client.version;
      if (isNew) client = fix(facts);
    },
    client: () => client,
    canElicit: () => client.elicitation,
    identify(user, groups) {
      who = whoOf(user, groups);
    },
    view(tool, time, look = watch.look()) {
      const { profile, unreadable, lapsed } = look;
      if (active.active !== profile.label) active = fix({ active: profile.label });
      const view = {
        claim,
        user: who.user,
        groups: who.groups,
        identity: lapsed ? identity.rearmedView() : identity.view(),
        profile: active,
        variables: unreadable ? null : profile.variables,
        client,
        usage: usage.view(tool, time),
      };
      return unreadable || profile.home === undefined ? view : { ...view, home: profile.home };
    },
  };
}

/** Where the active profile is looked up. */
export function profileSourceOf({
  activeProfile = () => null,
  profiles,
}: Pick<SessionOptions, "activeProfile" | "profiles">): ProfileSource {
  return profiles ?? labelSource(activeProfile);
}

/** State in memory, of this session alone. */
function ownState(options: SessionOptions): Pick<LiveSession, "identity" | "watch" | "usage"> {
  const { identity = new SessionIdentityState(), identityRules: rules, report, now = Date.now } = options;
  const watch = createIdentityWatch({ identity, source: profileSourceOf(options), rules, now, report });
  return { identity, watch, usage: createUsage(options.startedAt) };
}

function whoOf(user: string, groups: readonly string[]): Pick<SessionView, "user" | "groups"> {
  return Object.freeze({ user, groups: fix([...groups]) });
}

/** What a client calls itself goes into the policy input and the log, if it is short and can be written there. */
function fit(key: "name" | "version", text: string | undefined): { readonly name?: string; readonly version?: string } {
  return text !== undefined && text.length <= MAX_SELF_NAME && text.isWellFormed() ? { [key]: text } : {};
}
