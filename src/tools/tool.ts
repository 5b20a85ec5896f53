import type { ZodType } from "zod";
import type { JsonObject } from "../call/json.ts";
import type { ToolCall } from "../call/tool-call.ts";
import type { Withdrawal } from "../call/withdrawal.ts";
import type { ActiveLease } from "../govern/active-leases.ts";
import type { Decision } from "../policy/decision.ts";
import type { SessionView } from "../session/session.ts";

/** Names a call to those that it makes: for the record, and for what may not happen inside a script. */
export interface CallLink {
  readonly decisionId: string;
  /** True when a script is among the calls that led here: nobody can be asked, and no further script runs. */
  readonly scripted: boolean;
  /** Set when the call came in through the tools service. */
  readonly delegated?: DelegatedFacts;
}

/** What is known of a delegated call beside the call itself (design §9). */
export interface DelegatedFacts {
  /** Identity from the session record: `input.subject`. */
  readonly subject: Readonly<JsonObject>;
  /** Whom the message claimed to come from: `input.envelope`, for audit only. */
  readonly envelope?: Readonly<JsonObject>;
  /** Who was active in the front's session, where its agent had read it: in place of this process's session. */
  readonly session?: Pick<SessionView, "identity" | "profile">;
}

/** What a handler gets beside its call. */
export interface ToolContext {
  readonly call: ToolCall;
  readonly decision: Decision;
  readonly session: SessionView;
  /** Leases whose secrets the command gets, as policy saw them. */
  readonly leases?: readonly ActiveLease[];
  /** To be handed on with every call that the handler makes. */
  readonly link: CallLink;
  /** Aborted on cancellation, timeout and shutdown. */
  readonly signal: AbortSignal;
  /** The same, at less cost than a signal that nobody asks for. */
  readonly ending: Withdrawal;
  /** To be called right before a program is spawned: throws when it is no longer what a human approved. */
  readonly beforeSpawn?: () => void;
}

/** What a handler gives back: structured content that fits the output schema, and text for the model. */
export interface ToolOutput {
  readonly structured: JsonObject;
  /** Text block; the JSON of `structured` unless given. */
  readonly text?: string;
  /** The whole answer of another call that this one made, in place of both: it goes back as it is, with its own decision (design §6). */
  readonly passed?: object;
}

/** A local tool: schema, timeout and handler; its risk comes from the declared table (design §7). */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Object schema of the arguments; unknown keys are refused, except `agent_id` and `session_id`, which are ignored. */
  readonly input: ZodType;
  readonly output: ZodType;
  /** True when answers are those of other calls, whose structured content may have any form: the published output schema is open. */
  readonly passesOn?: true;
  readonly timeoutMs: number;
  /** Runs the call. Throws only for a failure of the tool itself: the corridor answers `call.failed`. */
  readonly handler: (args: JsonObject, context: ToolContext) => Promise<ToolOutput>;
}
