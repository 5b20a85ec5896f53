import { labelSource } from "./active-profile.ts";
import type { ProfileSource } from "./active-profile.ts";
import { SessionIdentityState } from "./identity-state.ts";
import { createIdentityWatch } from "./identity-watch.ts";
import type { IdentityLook, IdentityRules, IdentityWatch } from "./identity-watch.ts";
import type { Claim, ClientFacts, SessionView } from "./session.ts";
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
  /** Unix milliseconds; the clock unless given. */
  readonly now?: (() => number) | undefined;
  /** Told when the active profile cannot be known. */
  readonly report?: ((problem: unknown) => void) | undefined;
}

/** One session while it lasts: the claim never changes, the rest does. */
export interface LiveSession {
  readonly claim: Claim;
  readonly identity: SessionIdentityState;
  readonly watch: IdentityWatch;
  readonly usage: UsageCounter;
  setClient(facts: ClientFacts): void;
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
  const { claim, activeProfile = () => null, profiles = labelSource(activeProfile), identityRules, report, now = Date.now } = options;
  let who = whoOf(options.user, options.groups);
  const identity = options.identity ?? new SessionIdentityState();
  const watch = createIdentityWatch({ identity, source: profiles, rules: identityRules, now, report });
  const usage = createUsage(options.startedAt);
  let client: ClientFacts = Object.freeze({ elicitation: false });
  return {
    claim,
    identity,
    watch,
    usage,
    setClient({ elicitation, name, version }) {
      client = Object.freeze({ elicitation, ...fit("name", name), ...fit("version", version) });
    },
    canElicit: () => client.elicitation,
    identify(user, groups) {
      who = whoOf(user, groups);
    },
    view(tool, time, look = watch.look()) {
      const { profile, unreadable, lapsed } = look;
      return {
        claim,
        ...who,
        identity: lapsed ? identity.rearmedView() : identity.view(),
        profile: { active: profile.label },
        variables: unreadable ? null : profile.variables,
        ...(unreadable || profile.home === undefined ? {} : { home: profile.home }),
        client,
        usage: usage.view(tool, time),
      };
    },
  };
}

function whoOf(user: string, groups: readonly string[]): Pick<SessionView, "user" | "groups"> {
  return Object.freeze({ user, groups: Object.freeze([...groups]) });
}

/** What a client calls itself goes into the policy input and the log, if it is short and can be written there. */
function fit(key: "name" | "version", text: string | undefined): Partial<ClientFacts> {
  return text !== undefined && text.length <= MAX_SELF_NAME && text.isWellFormed() ? { [key]: text } : {};
}
