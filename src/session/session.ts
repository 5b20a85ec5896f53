import type { HomeGrant } from "../call/profile-words.ts";

/** The process claim (seed 003, process claim): made once, frozen, never taken from tool arguments. */
export interface Claim {
  /** `mcp-<19 digits>`: unix nanoseconds at process start (stdio) or connection (HTTP). */
  readonly sessionId: string;
  readonly agentId: string;
}

/** What the client said about itself; never used for a security decision (reference/mcp.md §2.1). */
export interface ClientFacts {
  readonly elicitation: boolean;
  readonly name?: string;
  readonly version?: string;
}

/** Counters of one session, kept by the corridor; the call being judged is not included (design §2, field `usage`). */
export interface Usage {
  readonly calls: number;
  readonly tool_calls: number;
  readonly calls_last_minute: number;
  readonly running: number;
  readonly denied: number;
  readonly elapsed_seconds: number;
}

/** One moment of a session as the gate sees it: plain data, no live references. */
export interface SessionView {
  readonly claim: Claim;
  readonly user: string;
  readonly groups: readonly string[];
  readonly identity: {
    readonly identity_confirmed: boolean;
    readonly confirmed_profile: string | null;
    readonly epoch: number;
  };
  readonly profile: { readonly active: string | null };
  /** Variables that the active profile gives to commands; null when it cannot be known who is active. No part of the policy input. */
  readonly variables: Readonly<Record<string, string>> | null;
  /** What the active profile grants to commands of the home directory; absent: nothing. No part of the policy input. */
  readonly home?: readonly HomeGrant[];
  readonly client: ClientFacts;
  readonly usage: Usage;
}
