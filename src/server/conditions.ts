import type { JsonObject } from "../call/json.ts";
import type { ExplainedCondition } from "../govern/explanation.ts";
import { foundIn } from "../govern/explanation.ts";
import { bundleDigest } from "../policy/digest.ts";
import type { Engine } from "../policy/engine.ts";
import type { Finding } from "../rego/explain.ts";

/** Conditions of a denial, or why they cannot be shown. */
export type Conditions =
  | { readonly ok: true; readonly failed: readonly ExplainedCondition[]; readonly matched: readonly ExplainedCondition[] }
  | { readonly ok: false; readonly problem: string };

/** Shows the conditions behind denials of one bundle. */
export interface ConditionReader {
  /** Never rejects. */
  readonly conditionsOf: (input: Readonly<JsonObject>) => Promise<Conditions>;
  readonly close: () => Promise<void>;
}

const MAX_CONDITIONS = 100;

/**
 * Asks OPA's interpreter, started for each question and ended after it, one question at a time: it takes 200 MB. It stands beside the gate:
 * no decision is its own (design §1, room `rego/`).
 * @param bundle folder of the bundle; what is none has no conditions to show
 */
export function openConditions(bundle: string, engine: Pick<Engine, "data" | "digest"> | undefined): ConditionReader {
  let opened: { readonly close: () => Promise<void> } | undefined;
  let last: Promise<unknown> = Promise.resolve();
  const close = async (): Promise<void> => {
    const toolchain = opened;
    opened = undefined;
    await toolchain?.close();
  };
  async function ask(input: Readonly<JsonObject>): Promise<Conditions> {
    if (engine === undefined) return { ok: false, problem: "no bundle is loaded" };
    const [{ openToolchain }, { readRuleSources }, { explainRules }] = await Promise.all([
      import("../rego/toolchain.ts"),
      import("../rego/rule-sources.ts"),
      import("../rego/explain.ts"),
    ]);
    const found = await readRuleSources(bundle, (wasm, data) => bundleDigest(wasm, data) === engine.digest);
    if (!found.ok) return found;
    const toolchain = openToolchain();
    opened = toolchain;
    const explained = await explainRules(toolchain, { sources: found.sources, data: engine.data, input: JSON.stringify(input) });
    await close();
    return explained.ok ? sorted(explained.value, input) : { ok: false, problem: "the interpreter could not evaluate the rules" };
  }
  return {
    conditionsOf(input) {
      const answer = last.then(() => ask(input)).catch((): Conditions => ({ ok: false, problem: "the interpreter failed" }));
      last = answer;
      return answer;
    },
    close,
  };
}

function sorted(findings: readonly Finding[], input: Readonly<JsonObject>): Conditions {
  const of = (held: boolean): ExplainedCondition[] =>
    findings
      .filter((finding) => finding.held === held)
      .slice(0, MAX_CONDITIONS)
      .map((finding) => conditionOf(finding, input));
  return { ok: true, failed: of(false), matched: of(true) };
}

function conditionOf({ held, ...place }: Finding, input: Readonly<JsonObject>): ExplainedCondition {
  return Object.assign({}, place, { found: foundIn(place.source, held, input) });
}
