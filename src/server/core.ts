import type { DecisionLog } from "../audit/log.ts";
import type { JsonObject } from "../call/json.ts";
import type { ShellAnalysis, ToolFacts } from "../call/tool-call.ts";
import type { Authorities } from "../govern/authorities.ts";
import type { Recording } from "../govern/recordings.ts";
import type { Engine } from "../policy/engine.ts";
import type { ProfileSource } from "../session/active-profile.ts";
import type { SessionIdentityState } from "../session/identity-state.ts";
import type { IdentityRules } from "../session/identity-watch.ts";
import type { LiveSession } from "../session/live-session.ts";
import type { SessionRegistry } from "../session/registry.ts";
import type { Claim, SessionView } from "../session/session.ts";
import type { ToolRegistry } from "../tools/registry.ts";
import type { Approvals } from "./approvals.ts";
import type { Confirm } from "./confirm.ts";
import type { ReportProgress } from "./corridor-types.ts";
import type { Effects } from "./effects.ts";
import type { Endings } from "./endings.ts";
import type { Recorder } from "./recorder.ts";
import type { RetryChannel } from "./retry.ts";
import type { Running } from "./running.ts";
import type { SealedQuestions } from "./sealed-questions.ts";
import type { SharedFront, SharedState } from "./shared-front.ts";
import type { Turns } from "./turns.ts";

/** What a corridor is made of: one for each session. */
export interface CorridorOptions {
  readonly claim: Claim;
  readonly user: string;
  readonly groups: readonly string[];
  /** Absent: every tool answers `agent.engine_unbound` (seed 003). The caller closes it. */
  readonly engine?: Engine | undefined;
  /** Closed with the corridor. */
  readonly log: DecisionLog;
  /** Recording of the session's tool input and output; none where it is switched off. Closed with the corridor. */
  readonly recording?: Recording | undefined;
  /** Elevations, stops and leases of the session; without them there are none, and a halt lasts as long as the corridor. */
  readonly authorities?: Authorities | undefined;
  /** Local tools; a call with a handler of its own needs none. */
  readonly registry: ToolRegistry;
  /** Declared facts of a tool; an undeclared one is `known: false`. */
  readonly factsOf: (tool: string) => ToolFacts;
  readonly analyse: (command: string) => ShellAnalysis;
  /** Names that the agent is entitled to; absent when no allowlist is configured. */
  readonly allowlist?: ReadonlySet<string> | undefined;
  readonly requireDryRun: boolean;
  readonly sandbox: "bwrap" | "none";
  readonly workdir?: string | undefined;
  /** What the host tells policy; never from arguments. */
  readonly context?: Readonly<JsonObject> | undefined;
  readonly activeProfile?: (() => string | null) | undefined;
  /** Tells more about the active profile than its label; used in place of `activeProfile`. */
  readonly profiles?: ProfileSource | undefined;
  /** Hardening of the identity gate beyond the seed; all off unless given. */
  readonly identityRules?: IdentityRules | undefined;
  /** Language of texts that come from a catalogue; English unless given. */
  readonly locale?: string | undefined;
  readonly identity?: SessionIdentityState | undefined;
  /** State that other fronts share, in place of the session's own. */
  readonly shared?: SharedState | undefined;
  /** Asks a human; absent: what needs a human is refused. */
  readonly confirm?: Confirm | undefined;
  readonly confirmTimeoutMs?: number | undefined;
  /** Where humans who are not in the session approve calls; absent: what needs an approval is refused. */
  readonly approvals?: Approvals | undefined;
  /** True: outcomes and recorded output are written right after the answer is handed on, not before it. */
  readonly answersFirst?: boolean | undefined;
  /** Registers the session while the corridor is open. */
  readonly sessions?: SessionRegistry | undefined;
  /** Shows the session to others while the corridor is open; the returned function ends that. */
  readonly publish?: ((view: () => SessionView) => () => void) | undefined;
  readonly now?: (() => Date) | undefined;
  /** Told of what went wrong inside; the agent gets a fixed text only. */
  readonly report?: ((problem: unknown) => void) | undefined;
}

/** The parts that the corridor's steps share. */
export interface Core {
  readonly options: CorridorOptions;
  readonly session: LiveSession;
  /** Present where the session's state is shared with other fronts. */
  readonly shared: SharedFront | undefined;
  readonly recorder: Recorder;
  readonly effects: Effects;
  readonly confirm: Confirm | undefined;
  /** Questions that wait for a repeated request. */
  readonly questions: SealedQuestions;
  /** Channels of the running calls that hand on to others, by decision id. */
  readonly retries: Map<string, RetryChannel>;
  /** How their clients hear of progress, by decision id. */
  readonly progress: Map<string, ReportProgress>;
  /** What policy sees of where tools run. */
  readonly environment: { readonly sandbox: "bwrap" | "none" };
  readonly now: () => Date;
  readonly report: (problem: unknown) => void;
  readonly running: Running;
  /** Calls are judged in turn. */
  readonly turns: Turns;
  /** Ends running handlers at shutdown, and when a human says so. */
  readonly endings: Endings;
  /** Aborted when the corridor closes. */
  readonly shutdown: AbortController;
  /** Set by a denial with `halt` where there are no stops: nothing of this session is admitted any more (design §2). */
  stopped: boolean;
}
