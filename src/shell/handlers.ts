import { judgeInterpreter } from "./interpreters.ts";
import { judgeOpaque } from "./opaque.ts";
import { SPECIALS } from "./specials.ts";
import { judgeSqlClient } from "./sql.ts";
import { type Call, type Run, report } from "./state.ts";
import { judgeSubcommand } from "./subcommands.ts";
import type { Duty } from "./tables/build.ts";
import { judgeVerbs } from "./verbs.ts";
import { judgeWrapper } from "./wrappers.ts";

type Handlers = { readonly [Kind in Duty["kind"]]: (run: Run, call: Call, duty: Extract<Duty, { readonly kind: Kind }>) => void };

/** What to do for each kind of duty. */
export const HANDLERS: Handlers = {
  data: () => undefined,
  destroy: (run, call, duty) => {
    if (duty.rule !== "overwrite.program" || run.tables.choices.move) report(run, duty.rule, call.argv[0]!);
  },
  interpreter: judgeInterpreter,
  opaque: judgeOpaque,
  special: (run, call, duty) => SPECIALS[duty.special](run, call),
  sql: judgeSqlClient,
  subcommand: judgeSubcommand,
  verbs: judgeVerbs,
  wrapper: judgeWrapper,
};
