import { isoTime } from "../call/iso-time.ts";
import { makeCall } from "../call/make-call.ts";
import type { MadeCall } from "../call/make-call.ts";
import { riskClass, unknownFacts } from "../call/risk-table.ts";
import type { Core } from "./core.ts";
import type { CallRequest } from "./corridor-types.ts";

/** The immutable call that a request becomes, at this moment. */
export function callOf(core: Core, request: CallRequest): MadeCall {
  const { analyse } = core.options;
  const { tool, path, isUnknown } = request;
  const factsOf = isUnknown === true ? unknownFacts : core.options.factsOf;
  const time = isoTime(core.now().getTime());
  const made = makeCall({ tool, arguments: request.arguments, path, time, factsOf, analyse, riskOf: riskClass });
  const delegated = request.delegated ?? request.from?.delegated;
  if (request.from === undefined && delegated === undefined) return made;
  return {
    ...made,
    ...(request.from === undefined ? {} : { parent: request.from.decisionId }),
    ...(delegated === undefined ? {} : { delegated }),
  };
}
