/** Why a rule refuses or warns: stable code, the rule that says so, and text without interpolation (design §2). */
export interface Reason {
  readonly code: string;
  readonly rule: string;
  readonly message: string;
  /** What would help, such as `dry_run` or `identity_read`; becomes `resolve` of the refusal. */
  readonly remedy?: string;
}

/** The decision document of design §2, after the strict parser. */
export interface Decision {
  readonly allow: boolean;
  /** Sorted by rule, code and message. */
  readonly reasons: readonly Reason[];
  readonly deny_reason?: string;
  readonly warnings?: readonly Reason[];
  readonly halt?: boolean;
  readonly effect: "none" | "record_identity_read" | "rearm";
  readonly confirm: "none" | "elicit" | "block";
  readonly approval?: { readonly approvers?: readonly string[]; readonly quorum?: number; readonly ttl_seconds?: number };
  /** Of `gate/result` alone: JSON pointers into the result. */
  readonly redact?: readonly string[];
  readonly sandbox?: { readonly network?: boolean; readonly write?: "workdir" | "none" };
}
