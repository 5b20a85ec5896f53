import type { Readable, Writable } from "node:stream";
import type { JsonObject } from "../call/json.ts";
import type { DeviceIssuer } from "../govern/device-login.ts";
import type { Engine } from "../policy/engine.ts";
import type { SessionIdentityState } from "../session/identity-state.ts";
import type { IdentityRules } from "../session/identity-watch.ts";
import type { OsUser } from "../session/os-user.ts";
import type { DeclaredProfile } from "../session/profile-changes.ts";
import type { Confinement } from "../shell/confinement.ts";
import type { ShellTables } from "../shell/tables/build.ts";
import type { StarlarkLimits } from "../starlark/limits.ts";
import type { CloudQueries } from "../tools/cloud-queries.ts";
import type { Tool } from "../tools/tool.ts";
import type { Sharing } from "./sharing.ts";

/** What every server is made of: validated options and the engine. */
export interface SharedOptions {
  /** Absent: every tool answers `agent.engine_unbound`. The caller closes it after the end. */
  readonly engine?: Engine;
  /** Where the engine's bundle is, for explanations. */
  readonly bundle: { readonly path: string };
  readonly agentId: string;
  readonly allowlist?: ReadonlySet<string>;
  readonly requireDryRun: boolean;
  readonly destructiveMatch: "words" | "text";
  /** The operator's tables for the classifier; as shipped unless given. */
  readonly shellTables?: ShellTables | undefined;
  /** Limits of eval_starlark. */
  readonly starlark: StarlarkLimits;
  /** Real path of the working directory of commands. */
  readonly workdir: string;
  readonly stateDir: string;
  /** Further queries of cloud_query. */
  readonly cloudQueries?: CloudQueries;
  /** How commands are confined. */
  readonly confinement: Confinement;
  /** Environment that run_shell takes its allow-list from. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly context?: Readonly<JsonObject>;
  /** Profiles that the operator declares. */
  readonly declaredProfiles?: readonly DeclaredProfile[];
  /** Hardening of the identity gate beyond the seed. */
  readonly identityRules?: IdentityRules;
  /** Language of texts that come from a catalogue. */
  readonly locale?: string;
  /** Milliseconds that a human has to answer a question. */
  readonly confirmTimeoutMs?: number;
  /** Milliseconds that a call waits for the approval of a human outside the session; 0: it is answered at once. */
  readonly approvalWaitMs: number;
  /** Whether tool input and output is recorded. */
  readonly recordings: boolean;
  /** Authorization server of device logins. */
  readonly deviceIssuer?: DeviceIssuer;
  /** Changes the local tools of a session: some run elsewhere, or are not offered. */
  readonly arrangeTools?: (tools: readonly Tool[], who: OsUser) => readonly Tool[];
  /** The fronts that this one shares the state of sessions with; absent: none. */
  readonly sharing?: Sharing | undefined;
  /** Identity state of the session, where it is not its own. */
  readonly identity?: SessionIdentityState;
  /** Ends the server at once when it is aborted. */
  readonly stop: AbortSignal;
  readonly version: string;
  /** Takes one line for stderr. */
  readonly note: (line: string) => void;
}

/** What a server over stdio is made of: also the process's streams. */
export interface ServerOptions extends SharedOptions {
  readonly stdin: Readable;
  readonly stdout: Writable;
}
