import type { DecisionLog } from "../audit/log.ts";
import type { Engine } from "../policy/engine.ts";
import { makeClaim } from "../session/claim.ts";
import { osUser } from "../session/os-user.ts";
import { analyseCommand } from "../shell/analyse.ts";
import { createRegistry } from "../tools/registry.ts";
import { openConditions } from "./conditions.ts";
import { createCorridor } from "./corridor.ts";
import { explainCall } from "./explainer.ts";
import type { ExplainedCall, ExplainedLook } from "./explainer.ts";
import { declaredFacts } from "./facts.ts";
import { serverProfiles } from "./profile-store.ts";
import type { SharedOptions } from "./server-options.ts";

/** The options of a server that its gate depends on. */
type GateOptions = Pick<
  SharedOptions,
  | "bundle"
  | "agentId"
  | "allowlist"
  | "requireDryRun"
  | "destructiveMatch"
  | "shellTables"
  | "workdir"
  | "stateDir"
  | "context"
  | "declaredProfiles"
  | "identityRules"
  | "locale"
>;

/** What a server with these options would be, as far as its gate is concerned. */
export interface ExplainOnceOptions extends GateOptions {
  readonly engine: Engine;
  readonly sandbox: "bwrap" | "none";
  readonly report: (line: string) => void;
}

/** Nothing is judged for good here, so nothing is recorded. */
const NO_LOG: DecisionLog = {
  decision() {
    throw new Error("an explanation records nothing");
  },
  outcome() {
    throw new Error("an explanation records nothing");
  },
  close: () => undefined,
};

/** Explains one call as the first of a new session of a server with these options (`regate explain`). */
export async function explainOnce(options: ExplainOnceOptions, call: ExplainedCall): Promise<ExplainedLook> {
  const { engine, sandbox, stateDir, report, allowlist, requireDryRun } = options;
  const profiles = serverProfiles({ stateDir, declaredProfiles: options.declaredProfiles, note: report });
  const gitHelpers = sandbox === "bwrap" ? "trusted" : "unverifiable";
  const corridor = createCorridor({
    ...osUser(),
    claim: makeClaim({ agentId: options.agentId }),
    engine,
    log: NO_LOG,
    registry: createRegistry([]),
    factsOf: declaredFacts(engine),
    analyse: (command) => analyseCommand(command, { match: options.destructiveMatch, gitHelpers, tables: options.shellTables }),
    allowlist,
    requireDryRun,
    sandbox,
    workdir: options.workdir,
    context: options.context,
    profiles: () => profiles.active(),
    identityRules: options.identityRules,
    locale: options.locale,
    report: (problem) => report(problem instanceof Error ? problem.message : String(problem)),
  });
  const { conditionsOf } = openConditions(options.bundle.path, engine);
  return explainCall({ corridor, hasAllowlist: allowlist !== undefined, requireDryRun, conditionsOf }, call);
}
