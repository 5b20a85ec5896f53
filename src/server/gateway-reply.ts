import { isJsonObject, type JsonObject } from "../call/json.ts";
import type { RefusalCode } from "../gate/refusals.ts";
import { PassedOn } from "../tools/tool-error.ts";
import type { ToolContext } from "../tools/tool.ts";
import type { CallToolResult } from "./corridor-types.ts";
import type { ForwardEnd } from "./gateway-forward.ts";
import { redacted } from "./gateway-redact.ts";
import type { GatewayEdge } from "./gateway-types.ts";
import type { NumberSource } from "../wire/json-source.ts";
import { writeJson } from "../wire/json-writer.ts";
import { DECISION_META, refusalResult } from "./results.ts";
import { andThen } from "./turns.ts";

/** What the upstream answered, kept beside the corridor so that nothing of it is lost. */
export interface Reply {
  /** `stale`: nothing was sent, since the tool is no longer the one that was judged. */
  kind: "none" | "unknown" | "stale" | "result" | "error";
  value: JsonObject;
  numbers: readonly NumberSource[];
  /** The result as JSON text. */
  text: string;
}

/** Of a call that has no answer yet. */
export function noReply(): Reply {
  return { kind: "none", value: {}, numbers: [], text: "" };
}

/** Longest answer that is kept in a recording, in characters of its JSON. */
const MAX_RECORDED = 256 * 1024;

/** What the recording keeps of an upstream's answer. */
export function recordable({ kind, value, text }: Reply): JsonObject | undefined {
  if (kind === "error") return { structuredContent: { error: value }, isError: true };
  if (kind !== "result") return undefined;
  return text.length <= MAX_RECORDED ? value : { structuredContent: { omitted: `${text.length} characters` } };
}

/** What the corridor gets in place of the upstream's own result. */
export const standIn = (isError: boolean): CallToolResult => ({ content: [], ...(isError ? { isError: true } : {}) });

/** The upstream's result with the decision that let it pass; nothing else is touched. */
export function resultText({ value, numbers, text }: Reply, decided: CallToolResult, modern: boolean): string {
  const decision = decided._meta?.[DECISION_META] ?? {};
  const extra = modern && !Object.hasOwn(value, "resultType") ? { resultType: "complete" } : {};
  const meta = value["_meta"];
  if (meta === undefined && Object.keys(extra).length === 0) {
    return `${text.slice(0, -1)}${text === "{}" ? "" : ","}"_meta":${JSON.stringify({ [DECISION_META]: decision })}}`;
  }
  return writeJson({ ...value, ...extra, _meta: { ...(isJsonObject(meta) ? meta : {}), [DECISION_META]: decision } }, numbers, ["result"]);
}

/** A call that was forwarded, and what is kept of the answer. */
interface Taken {
  readonly context: ToolContext;
  readonly reply: Reply;
  readonly fail: (code: RefusalCode, detail?: string) => never;
}

/** What became of a forwarded call. */
export function taken(edge: GatewayEdge, end: ForwardEnd, { context, reply, fail }: Taken): CallToolResult | Promise<CallToolResult> {
  switch (end.kind) {
    case "withdrawn":
      return standIn(true);
    case "timeout":
      return fail("upstream.timeout");
    case "lost":
      return fail(end.sent ? "upstream.outcome_unknown" : "upstream.unavailable");
    case "error":
      Object.assign(reply, { kind: "error", value: end.error, numbers: end.numbers, text: writeJson(end.error, end.numbers, ["error"]) });
      return standIn(true);
    default: {
      const { call } = context;
      const text = writeJson(end.result, end.numbers, ["result"]);
      if (Buffer.byteLength(text) > edge.parts.limits.maxResultBytes) return fail("upstream.result_too_large");
      const judged = edge.corridor.result({
        method: "tools/call",
        facts: call.facts,
        call,
        session: context.session,
        result: end.result,
        parent: context.link.decisionId,
      });
      return andThen(judged, (verdict) => {
        if (!verdict.allowed) throw new PassedOn(refusalResult(verdict.refusal, verdict.decisionId));
        const value = redacted(end.result, verdict.redact);
        const numbers = value === end.result ? end.numbers : [];
        Object.assign(reply, { kind: "result", value, numbers, text: value === end.result ? text : JSON.stringify(value) });
        return standIn(value["isError"] === true);
      });
    }
  }
}
