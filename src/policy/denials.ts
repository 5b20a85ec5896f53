import type { Decision } from "./decision.ts";

/** Codes of the denials that the engine itself makes (design §2, table of the strict parser). */
export type EngineCode = "policy.no_decision" | "policy.malformed" | "policy.default_deny" | "policy.non_boolean_allow" | "policy.error";

const TEXTS: Readonly<Record<EngineCode, string>> = {
  "policy.no_decision": "policy: no decision (empty result set)",
  "policy.malformed": "policy: malformed decision document",
  "policy.default_deny": "policy: deny by default (no allow decision)",
  "policy.non_boolean_allow": "policy: non-boolean allow",
  "policy.error": "policy: evaluation failed",
};

/**
 * A denial made by the engine: one reason of the rule `engine`, whose text is also the `deny_reason`; no effect on the session.
 * @param code why
 * @param text the refusal's text, when it is not the one of the table
 */
export function engineDenial(code: EngineCode, text: string = TEXTS[code]): Decision {
  const reason = Object.freeze({ code, rule: "engine", message: text });
  return Object.freeze({ allow: false, reasons: Object.freeze([reason]), deny_reason: text, effect: "none", confirm: "none" });
}
