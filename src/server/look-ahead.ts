import type { JsonObject } from "../call/json.ts";
import type { MadeCall } from "../call/make-call.ts";
import { judgeEach } from "../gate/gate.ts";
import type { StageVerdicts } from "../gate/gate.ts";
import type { Core } from "./core.ts";
import { inputFor } from "./policy-input.ts";

/** What each stage would say now, and to which input. */
export interface Look extends StageVerdicts {
  readonly input: JsonObject;
}

/**
 * Asks every stage about a call; neither recorded nor counted, and without effect. The input is made by the function that makes it for a call
 * that is admitted (trial R08). That a human can be asked is taken for granted: what matters is what the call needs.
 */
export function lookAhead(core: Core, made: MadeCall): Look {
  const { allowlist, requireDryRun, engine, authorities } = core.options;
  const session = core.session.view(made.call.tool, core.now().getTime(), core.session.watch.look());
  const input = inputFor(core, made, { session });
  const stopped = core.stopped || authorities?.stops.reasonFor() !== undefined;
  const rules = { allowlist, requireDryRun, decide: engine === undefined ? undefined : (given: JsonObject) => engine.decide(given) };
  return { input, ...judgeEach({ ...made, input, stopped, confirmation: () => "ask" }, rules) };
}
