import type { z } from "zod";
import { isJsonObject } from "../call/json.ts";
import type { JsonObject, JsonValue } from "../call/json.ts";
import { redactJson } from "../audit/redact.ts";
import { visible } from "../call/visible.ts";
import { explanationOf } from "./explanations.ts";
import type { decisionSchema } from "./schemas/decisions.ts";

/** A decision as the API gives it: what was asked, what was said and why, and what came of it; redacted. */
export type DecisionView = z.infer<typeof decisionSchema>;

/**
 * Makes the view of a decision.
 * @param line one redacted decision event
 * @param outcome what its outcome event says, as it stands in the log
 * @returns undefined when the line is no event of a decision
 */
export function decisionView(line: string, outcome: JsonObject | undefined): DecisionView | undefined {
  const event = objectOf(parsed(line));
  const regate = objectOf(objectOf(event["custom"])["regate"]);
  const input = objectOf(event["input"]);
  const result = objectOf(event["result"]);
  const agent = objectOf(input["agent"]);
  const tool = objectOf(input["tool"]);
  const decisionId = textOf(event["decision_id"]);
  if (decisionId === "") return undefined;
  const allowed = regate["admitted"] === true;
  const code = allowed ? null : textOf(regate["code"]) || null;
  return {
    decision_id: decisionId,
    parent_decision_id: textOf(regate["parent_decision_id"]) || null,
    time: textOf(event["timestamp"]),
    session_id: textOf(objectOf(event["labels"])["id"]),
    agent_id: visible(textOf(agent["id"])),
    user: visible(textOf(input["user"])),
    tool: visible(textOf(input["command"])),
    command_key: visible(textOf(tool["command_key"])) || null,
    path: textOf(input["path"]) || "direct",
    risk: textOf(agent["risk"]) || "unknown",
    dry_run: agent["dry_run"] === true,
    allowed,
    stage: textOf(regate["stage"]) || "unknown",
    code,
    reasons: reasonsIn(result["reasons"]),
    warnings: reasonsIn(result["warnings"]),
    deny_reason: visible(textOf(result["deny_reason"])) || null,
    explanation: explanationOf(code),
    arguments: visible(textOfJson(input["arguments"])),
    bundle: textOf(regate["bundle"]) || null,
    seq: typeof regate["seq"] === "number" ? regate["seq"] : 0,
    hash: textOf(regate["hash"]),
    erased: Array.isArray(event["erased"]) ? event["erased"].map(String) : [],
    outcome: outcome === undefined ? null : outcomeView(outcome),
  };
}

function outcomeView(outcome: JsonObject): NonNullable<DecisionView["outcome"]> {
  return {
    status: textOf(outcome["status"]) || "unknown",
    code: textOf(outcome["code"]) || null,
    duration_ms: typeof outcome["duration_ms"] === "number" ? outcome["duration_ms"] : 0,
    facts: visible(textOfJson(redacted(outcome["facts"]))),
  };
}

function redacted(facts: JsonValue | undefined): JsonValue {
  try {
    return redactJson(facts ?? {}).value;
  } catch {
    return "[REDACTED]";
  }
}

function reasonsIn(reasons: unknown): DecisionView["reasons"] {
  return (Array.isArray(reasons) ? (reasons as JsonValue[]) : []).filter(isJsonObject).map((reason) => ({
    code: textOf(reason["code"]),
    rule: textOf(reason["rule"]),
    message: visible(textOf(reason["message"])),
    remedy: textOf(reason["remedy"]) || null,
  }));
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function objectOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** JSON on one line; `visible` takes what would break it. */
function textOfJson(value: JsonValue | undefined): string {
  return JSON.stringify(value ?? {});
}
