import { SessionIdentityState } from "./identity-state.ts";
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
  readonly identity?: SessionIdentityState | undefined;
}

/** One session while it lasts: the claim never changes, the rest does. */
export interface LiveSession {
  readonly claim: Claim;
  readonly identity: SessionIdentityState;
  readonly usage: UsageCounter;
  setClient(facts: ClientFacts): void;
  canElicit(): boolean;
  /** One moment of the session, as the gate sees it before judging a call of `tool` at `now` (Unix milliseconds). */
  view(tool: string, now: number): SessionView;
}

/** Makes a session around a claim (design §3): armed, with counters at zero and a client that can do nothing yet. */
export function createSession(options: SessionOptions): LiveSession {
  const { claim, user, activeProfile = () => null } = options;
  const groups = Object.freeze([...options.groups]);
  const identity = options.identity ?? new SessionIdentityState();
  const usage = createUsage(options.startedAt);
  let client: ClientFacts = Object.freeze({ elicitation: false });
  return {
    claim,
    identity,
    usage,
    setClient({ elicitation, name, version }) {
      client = Object.freeze({ elicitation, ...fit("name", name), ...fit("version", version) });
    },
    canElicit: () => client.elicitation,
    view: (tool, now) => ({
      claim,
      user,
      groups,
      identity: identity.view(),
      profile: { active: activeProfile() },
      client,
      usage: usage.view(tool, now),
    }),
  };
}

/** What a client calls itself goes into the policy input and the log, if it is short and can be written there. */
function fit(key: "name" | "version", text: string | undefined): Partial<ClientFacts> {
  return text !== undefined && text.length <= MAX_SELF_NAME && text.isWellFormed() ? { [key]: text } : {};
}
