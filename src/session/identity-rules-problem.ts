import type { IdentityRules } from "./identity-watch.ts";

const SWITCHES: ReadonlySet<string> = new Set<keyof IdentityRules>(["requireProfile", "bindProfile"]);
const NUMBERS: ReadonlySet<string> = new Set<keyof IdentityRules>(["maxAgeMs", "maxMutations"]);

/**
 * What is wrong with the hardening that a program asks for, as a phrase that follows its name; undefined when it may be used. A misspelt
 * member would be a rule that does not hold (design §13).
 */
export function identityRulesProblem(rules: unknown): string | undefined {
  if (typeof rules !== "object" || rules === null || Array.isArray(rules)) return "must be an object";
  for (const [name, value] of Object.entries(rules) as [string, unknown][]) {
    if (!SWITCHES.has(name) && !NUMBERS.has(name)) return `has no member \`${name}\`: ${[...SWITCHES, ...NUMBERS].join(", ")} are known`;
    if (value === undefined) continue;
    if (SWITCHES.has(name) && typeof value !== "boolean") return `must have a boolean \`${name}\``;
    if (NUMBERS.has(name) && !(typeof value === "number" && value > 0)) return `must have a number above zero as \`${name}\``;
  }
  return undefined;
}
