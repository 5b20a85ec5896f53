import type { SpecialName } from "../specials.ts";

/** Programs whose calls a function of ours judges. */
export const SPECIAL_PROGRAMS: readonly (readonly [names: string, special: SpecialName])[] = [
  ["sh bash dash zsh ksh ksh93 mksh lksh ash yash posh pdksh rbash fish", "shell"],
  ["eval", "eval"],
  ["trap", "trap"],
  ["source .", "source"],
  ["alias", "alias"],
  ["su", "su"],
  ["read mapfile readarray unset getopts let printf wait test [", "builtin"],
  ["declare typeset export readonly local", "declare"],
  ["compgen complete hash enable bind fc", "loader"],
  ["find gfind", "find"],
  ["fd fdfind", "fd"],
  ["xargs gxargs", "xargs"],
  ["parallel sem", "parallel"],
  ["ssh", "ssh"],
  ["git", "git"],
  ["docker podman nerdctl finch docker-compose podman-compose", "container"],
  ["chmod gchmod", "chmod"],
  ["chown chgrp gchown", "chown"],
  ["kubectl oc k kubecolor k3s-kubectl microk8s.kubectl", "kubectl"],
];
