import type { ToolCall } from "../call/tool-call.ts";
import type { JsonObject } from "../call/json.ts";
import type { Verdict } from "../gate/verdict.ts";

/** Session state as the log records it before and after a call. */
export interface LoggedSessionState {
  readonly identity_confirmed: boolean;
  readonly epoch: number;
}

/** One decision to be recorded (design §10). */
export interface DecisionRecord {
  readonly decisionId: string;
  /** Decision id of the call that made this one. */
  readonly parent?: string | undefined;
  /** Absent for a decision that is not about a call. */
  readonly call?: ToolCall | undefined;
  /** Entrypoint that was asked; `gate/decision` unless given. */
  readonly path?: "gate/message" | "gate/result";
  /** The policy input exactly as it was built for this call, also when an earlier stage refused. */
  readonly input: JsonObject;
  readonly verdict: Verdict;
  /** What has stopped the session, of a call that was refused for it. */
  readonly stop?: { readonly id: string; readonly reason: string } | undefined;
  /** Digest and name of the bundle that decided; absent when no engine is bound. */
  readonly bundle?: { readonly name: string; readonly digest: string } | undefined;
  readonly before: LoggedSessionState;
  readonly after: LoggedSessionState;
  /** Nanoseconds spent, by OPA's metric names such as `timer_rego_query_eval_ns`. */
  readonly metrics: Readonly<Record<string, number>>;
}

/** How an admitted call ended. */
export interface OutcomeRecord {
  readonly decisionId: string;
  readonly tool: string;
  /** `ok`, `error`, `timeout`, `cancelled`, `dry_run` or `arguments_invalid`. */
  readonly status: string;
  readonly code?: string | undefined;
  readonly durationMs: number;
  /** Small facts of the outcome, such as `exit_code`; redacted like everything else. */
  readonly facts?: JsonObject | undefined;
}

/** The decision log of one session: append-only, chained, one writer (design §10). */
export interface DecisionLog {
  /** Appends a decision event. Throws when the event is not in the file whole; then nothing may execute. */
  decision(record: DecisionRecord): void;
  /** Appends an outcome event with the same decision id. Throws like `decision`. */
  outcome(record: OutcomeRecord): void;
  close(): void;
}
