import { judgeBuiltin, judgeDeclare, judgeLoader } from "./builtins.ts";
import { judgeContainer } from "./containers.ts";
import { judgeFd, judgeFind } from "./find.ts";
import { judgeGit } from "./git.ts";
import { judgeKubectl } from "./kubernetes.ts";
import { judgeChmod, judgeChown } from "./permissions.ts";
import { judgeAlias, judgeEval, judgeShell, judgeSource, judgeSu, judgeTrap } from "./shells.ts";
import { judgeSsh } from "./ssh.ts";
import type { Call, Run } from "./state.ts";
import { judgeParallel, judgeXargs } from "./xargs.ts";

type Judge = (run: Run, call: Call) => void;

/** The functions that judge programs which rows cannot describe. */
export const SPECIALS = {
  alias: judgeAlias,
  builtin: judgeBuiltin,
  chmod: judgeChmod,
  chown: judgeChown,
  container: judgeContainer,
  declare: judgeDeclare,
  eval: judgeEval,
  fd: judgeFd,
  find: judgeFind,
  git: judgeGit,
  kubectl: judgeKubectl,
  loader: judgeLoader,
  parallel: judgeParallel,
  shell: judgeShell,
  source: judgeSource,
  ssh: judgeSsh,
  su: judgeSu,
  trap: judgeTrap,
  xargs: judgeXargs,
} as const satisfies Record<string, Judge>;

/** The name of such a function. */
export type SpecialName = keyof typeof SPECIALS;
