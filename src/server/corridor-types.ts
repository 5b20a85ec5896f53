import type { JsonObject } from "../call/json.ts";
import type { CallPath } from "../call/tool-call.ts";
import type { Withdrawal } from "../call/withdrawal.ts";
import type { ClientFacts } from "../session/session.ts";
import type { CallLink, DelegatedFacts, ToolContext } from "../tools/tool.ts";
import type { RetryChannel } from "./retry.ts";

/** One MCP content block; Regate itself makes text blocks only, embedders and upstream servers any. */
export interface ContentBlock extends JsonObject {
  type: string;
}

/** A tool result in MCP's form, free of SDK types (design §5 for refusals, §7 for results). */
export interface CallToolResult {
  content: ContentBlock[];
  structuredContent?: JsonObject;
  isError?: boolean;
  _meta?: JsonObject;
}

/** Tells the client how far a call that takes long has come (MCP, notifications/progress). */
export type ReportProgress = (state: { readonly progress: number; readonly total: number; readonly message: string }) => void;

/** One call at the door of the corridor, from whatever path it comes (design §1). */
export interface CallRequest {
  readonly tool: string;
  /** Arguments exactly as received; the corridor takes its own frozen copy. */
  readonly arguments: JsonObject;
  /** True when nobody else holds the arguments: they need not be compared again right before the handler. */
  readonly isPrivate?: boolean;
  readonly path: CallPath;
  /** True when no tool is meant although one may be called so: `execute` with a key that is no command's. Gated as an unknown tool. */
  readonly isUnknown?: boolean;
  /** The call that makes this one; absent for a call from outside. */
  readonly from?: CallLink;
  /** Whose call it is, for one that came in through the tools service; the calls that it makes inherit it. */
  readonly delegated?: DelegatedFacts;
  /** How the human is asked, when the client cannot be asked while the call waits. */
  readonly retry?: RetryChannel | undefined;
  /** Present when the client wants to hear how far the call has come. */
  readonly progress?: ReportProgress;
  /** Aborted when the caller no longer wants an answer. */
  readonly signal?: Withdrawal | undefined;
  /** Replaces the registered tool's handler (embedding API, upstream servers). Gets the frozen arguments. */
  readonly handler?: ((args: JsonObject, context: ToolContext) => Promise<CallToolResult>) | undefined;
  /** What the handler's answer really was, for the recording, where the corridor only gets a stand-in. */
  readonly answered?: () => JsonObject | undefined;
}

/** What the corridor answers: a tool result (refusals included), or that no such tool exists (the edge answers -32602). */
export type CallAnswer = { readonly kind: "result"; readonly result: CallToolResult } | { readonly kind: "unknown_tool" };

/** Hints of a listed tool, taken from the declared risk table (design §7). */
export interface ToolAnnotations {
  readonly title: string;
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

/** One entry of tools/list. */
export interface ListedTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema: JsonObject;
  readonly annotations: ToolAnnotations;
}

/** The one way in for every tool call of one session (design §1). */
export interface Corridor {
  /** Admission (gate, log, re-arm) happens strictly in the order of the calls to `call`; handlers run in parallel. Never rejects. */
  call(request: CallRequest): Promise<CallAnswer>;
  /** What the allowlist and `gate/listing` show; does not vary with the session's state. */
  listTools(): readonly ListedTool[];
  /** Records what the client said about itself; never used for a security decision. */
  setClient(facts: ClientFacts): void;
  /** Aborts running handlers, waits for them and closes the decision log. */
  close(): Promise<void>;
}
