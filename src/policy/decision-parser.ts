import { isJsonObject, type JsonObject, type JsonValue } from "../call/json.ts";
import type { Decision, Reason } from "./decision.ts";
import { engineDenial } from "./denials.ts";
import { translate, type Dialect } from "./dialects.ts";
import type { Entrypoint } from "./engine.ts";
import { MAX_RESULT_LENGTH } from "./limits.ts";

type Check = (value: JsonValue) => boolean;

const isString: Check = (value) => typeof value === "string";
const isBoolean: Check = (value) => typeof value === "boolean";
const isCount: Check = (value) => Number.isSafeInteger(value) && Number(value) >= 1;
const oneOf =
  (...words: string[]): Check =>
  (value) =>
    words.includes(value as string);
const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);

/** An object with these keys and no other; those in `required` must be there. */
function objectOf(keys: Readonly<Record<string, Check>>, required: readonly string[] = []): Check {
  const checks = new Map(Object.entries(keys));
  return (value) => {
    if (!isJsonObject(value) || !required.every((key) => Object.hasOwn(value, key))) return false;
    return Object.entries(value).every(([key, part]) => checks.get(key)?.(part) === true);
  };
}

const REASON_KEYS = { code: isString, rule: isString, message: isString };
const isReason = objectOf({ ...REASON_KEYS, remedy: isString }, ["code", "rule", "message"]);
const isWarning = objectOf(REASON_KEYS, ["code", "rule", "message"]);

/** Every key but `allow`, which has rows of its own in design §2. */
const DOCUMENT: Readonly<Record<string, Check>> = {
  allow: () => true,
  reasons: listOf(isReason),
  deny_reason: isString,
  warnings: listOf(isWarning),
  halt: isBoolean,
  effect: oneOf("none", "record_identity_read", "rearm"),
  confirm: oneOf("none", "elicit", "block"),
  approval: objectOf({ approvers: listOf(isString), quorum: isCount, ttl_seconds: isCount }),
  sandbox: objectOf({ network: isBoolean, write: oneOf("workdir", "none") }),
};
const isDocument = objectOf(DOCUMENT);
/** What `gate/result` answers says beside that what is to be left out. */
const isResultDocument = objectOf({
  ...DOCUMENT,
  redact: listOf((path) => typeof path === "string" && (path === "" || path.startsWith("/"))),
});

/**
 * Reads what a policy answered. Strict: whatever is not exactly a decision document is a denial (design §2, table of the strict parser).
 * Reasons and warnings come out sorted by rule, code and message and without repetition, since a set has no order in WASM (trials W02).
 * @param text result set as the policy module wrote it
 * @param dialect how the document is to be read
 * @param entrypoint which one answered: only `gate/result` may say what to redact
 * @returns a deeply frozen decision
 */
export function parseDecision(text: string, dialect: Dialect, entrypoint: Entrypoint = "gate/decision"): Decision {
  const set = text.length > MAX_RESULT_LENGTH ? undefined : parseJson(text);
  if (!Array.isArray(set)) return engineDenial("policy.malformed");
  if (set.length === 0) return engineDenial("policy.no_decision");
  const [row] = set;
  if (set.length !== 1 || !isJsonObject(row) || Object.keys(row).join() !== "result") return engineDenial("policy.malformed");
  return judge(translate(row["result"] ?? null, dialect), entrypoint === "gate/result" ? isResultDocument : isDocument);
}

function judge(document: JsonValue | undefined, isFit: Check): Decision {
  if (!isJsonObject(document) || !isFit(document)) return engineDenial("policy.malformed");
  if (!Object.hasOwn(document, "allow"))
    return engineDenial("policy.default_deny", (document["deny_reason"] as string | undefined) || undefined);
  if (typeof document["allow"] !== "boolean") return engineDenial("policy.non_boolean_allow");
  const isComplete = ["reasons", "effect", "confirm"].every((key) => Object.hasOwn(document, key));
  if (document["allow"] && !isComplete) return engineDenial("policy.malformed");
  return freeze(document);
}

/** Keys in a fixed order, whatever order the policy wrote them in; an empty `deny_reason` says nothing and is left out. */
function freeze(document: JsonObject): Decision {
  const { deny_reason, halt, sandbox, warnings, approval, redact } = document;
  const decision = {
    allow: document["allow"],
    reasons: sorted(document["reasons"]),
    ...(deny_reason === undefined || deny_reason === "" ? {} : { deny_reason }),
    ...(warnings === undefined ? {} : { warnings: sorted(warnings) }),
    ...(halt === undefined ? {} : { halt }),
    effect: document["effect"] ?? "none",
    confirm: document["confirm"] ?? "none",
    ...(approval === undefined ? {} : { approval: frozenApproval(approval as JsonObject) }),
    ...(redact === undefined ? {} : { redact: Object.freeze([...(redact as string[])].sort()) }),
    ...(sandbox === undefined ? {} : { sandbox: Object.freeze({ ...(sandbox as JsonObject) }) }),
  };
  return Object.freeze(decision) as unknown as Decision;
}

function sorted(value: JsonValue | undefined): readonly Reason[] {
  const reasons = ((value ?? []) as unknown as Reason[]).map((reason) => Object.freeze(inOrder(reason))).sort(compareReasons);
  return Object.freeze(reasons.filter((reason, index) => index === 0 || compareReasons(reasons[index - 1] as Reason, reason) !== 0));
}

function inOrder({ code, rule, message, remedy }: Reason): Reason {
  return remedy === undefined ? { code, rule, message } : { code, rule, message, remedy };
}

/** By rule, code and message (design §2), and then by remedy, so that the order is total. */
function compareReasons(a: Reason, b: Reason): number {
  return compare(a.rule, b.rule) || compare(a.code, b.code) || compare(a.message, b.message) || compare(a.remedy ?? "", b.remedy ?? "");
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Approvers are a set: their order has no meaning. */
function frozenApproval(approval: JsonObject): JsonObject {
  const { approvers } = approval;
  if (approvers === undefined) return Object.freeze({ ...approval });
  const names = Object.freeze([...new Set(approvers as string[])].sort()) as string[];
  return Object.freeze({ ...approval, approvers: names });
}

function parseJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}
