/** Where a request stands (design §8); derived from the files of the store alone. */
export type ApprovalState =
  /** Waits for decisions. */
  | "pending"
  /** May be used once by the call that it was filed for. */
  | "approved"
  | "denied"
  /** Its time is over without a decision, or without a use. */
  | "expired"
  /** What would run is no longer what was shown, or a key that approved was revoked: never used. */
  | "stale"
  /** The call runs. */
  | "executing"
  /** The call ended and succeeded. */
  | "done"
  /** The call ended and reported an error. */
  | "failed"
  /** The call began and nobody can tell how it ended. */
  | "indeterminate";

/** One signed vote, as everybody may see it. */
export interface ApprovalVote {
  readonly owner: string;
  /** Name of the key that signed. */
  readonly key: string;
  readonly decision: "approve" | "deny";
  readonly reason: string;
  /** RFC 3339 UTC. */
  readonly at: string;
}

/** Who asks: the session's user, and uid and user of the process that serves the agent. */
export interface ApprovalRequester {
  readonly user: string;
  readonly uid: number;
  /** Name of that uid, when the session's user is another: somebody logged in, or a token says so. */
  readonly os_user?: string | undefined;
}

/** Why policy wants a human, in the policy's own words; may hold what no terminal should print. */
export interface ApprovalRule {
  readonly code: string;
  readonly rule: string;
  readonly message: string;
}

/** One request as an approver sees it. Only `shown.text` is made for printing; every other text goes through `displayLine` first. */
export interface ApprovalView {
  /** Public random id, 32 lower-case hex digits. */
  readonly id: string;
  readonly state: ApprovalState;
  readonly session_id: string;
  readonly agent_id: string;
  readonly requester: ApprovalRequester;
  readonly tool: string;
  readonly rule: readonly ApprovalRule[];
  /** Owners who may decide; absent: every owner but the requester. */
  readonly approvers?: readonly string[];
  /** How many different owners must approve. */
  readonly quorum: number;
  readonly votes: readonly ApprovalVote[];
  /** RFC 3339 UTC. */
  readonly created_at: string;
  /** RFC 3339 UTC; the use must have begun by then. */
  readonly expires_at: string;
  /** Real path of the working directory; `""` when the server has none. */
  readonly workdir: string;
  /** Label of the active profile. */
  readonly profile: string | null;
  /** SHA-256 (hex) of everything that the approval is bound to. */
  readonly digest: string;
  /** The whole display text, and its SHA-256 (hex): what a vote signs. */
  readonly shown: { readonly text: string; readonly digest: string };
}
