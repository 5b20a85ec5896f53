import { judgeTar, judgeUnzip } from "./archives.ts";
import { judgeAwk } from "./awk.ts";
import { judgeBuiltin, judgeDeclare, judgeLoader } from "./builtins.ts";
import { judgeContainer } from "./containers.ts";
import { judgeVim } from "./editor.ts";
import { judgeFd, judgeFind } from "./find.ts";
import { judgeGit } from "./git.ts";
import { judgeKubectl } from "./kubernetes.ts";
import { judgeCompress, judgeCopy, judgeDd, judgeInstall, judgeLink, judgeTee } from "./overwrites.ts";
import { judgeChmod, judgeChown } from "./permissions.ts";
import { judgeCrontab, judgeFtp, judgeFuser, judgeGio, judgeInit, judgeKill, judgePartition, judgeRsync, judgeScp } from "./processes.ts";
import { judgeRedis } from "./redis.ts";
import { judgeSed } from "./sed.ts";
import { judgeAlias, judgeEval, judgeShell, judgeSource, judgeSu, judgeTrap } from "./shells.ts";
import { judgeSsh } from "./ssh.ts";
import type { Call, Run } from "./state.ts";
import { judgeRunner } from "./unknown.ts";
import { judgeMake } from "./make.ts";
import { judgeParallel, judgeXargs } from "./xargs.ts";

type Judge = (run: Run, call: Call) => void;

/** The functions that judge programs which rows cannot describe. */
export const SPECIALS = {
  alias: judgeAlias,
  awk: judgeAwk,
  compress: judgeCompress,
  copy: judgeCopy,
  crontab: judgeCrontab,
  dd: judgeDd,
  ftp: judgeFtp,
  fuser: judgeFuser,
  gio: judgeGio,
  init: judgeInit,
  install: judgeInstall,
  kill: judgeKill,
  link: judgeLink,
  partition: judgePartition,
  redis: judgeRedis,
  rsync: judgeRsync,
  runner: judgeRunner,
  scp: judgeScp,
  sed: judgeSed,
  tar: judgeTar,
  tee: judgeTee,
  unzip: judgeUnzip,
  vim: judgeVim,
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
  make: judgeMake,
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
