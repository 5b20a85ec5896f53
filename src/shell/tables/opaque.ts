import type { OpaqueRow } from "./types.ts";

/** Programs that run what they are told elsewhere, by keys or by a language of their own (reference: shell.md §6, "Wrappers", last row). */
export const OPAQUE_PROGRAMS: readonly OpaqueRow[] = [
  {
    names: "tmux tmate byobu zellij",
    clear: /^(?:ls|list-\w+|lsw|lsp|lsc|show-\w+|info|display-message|has-session|capture-pane)$/,
    example: "tmux new -d 'rm x'",
    listing: "tmux ls",
  },
  { names: "screen", clear: /^-(?:ls|list|v)$/, example: "screen -dm rm x", listing: "screen -ls" },
  { names: "at batch", clear: /^-(?:l|V|c)$/, example: "at now", listing: "at -l" },
  { names: "nsupdate", example: "nsupdate -l" },
  { names: "atrm", example: "atrm 3" },
  { names: "gdb lldb rr", clear: /^-(?:v|-version)$/, example: "gdb -batch -ex 'shell rm x'", listing: "gdb --version" },
  { names: "nc ncat netcat", clear: /^-[a-y]*z[a-z]*$/, example: "nc -l 8080", listing: "nc -zv host 80" },
  { names: "socat socket", example: "socat TCP:host:1 EXEC:sh" },
  { names: "bwrap firejail runc crun gvisor", clear: /^--(?:version|list)$/, example: "bwrap --bind / / ls", listing: "bwrap --version" },
  { names: "ed red ex", example: "ed -s notes.txt" },
  { names: "expect unbuffer-expect dexp autoexpect", example: "expect -c 'spawn rm x'" },
  {
    names: "pwsh powershell cmd.exe cmd cscript wscript",
    clear: /^-(?:v|version)$/i,
    example: "pwsh -Command Remove-Item x",
    listing: "pwsh -Version",
  },
  { names: "nu xonsh elvish tcsh csh rc es oil osh ysh", clear: /^--version$/, example: "nu -c 'rm x'", listing: "nu --version" },
  { names: "run-parts", clear: /^--(?:test|list)$/, example: "run-parts /etc/cron.daily", listing: "run-parts --test /etc/cron.daily" },
  { names: "crontab-ui anacron fcron", example: "anacron -f" },
  { names: "osascript", example: "osascript -e 'do shell script \"rm x\"'" },
  { names: "m4 dc", example: "dc -e '!rm x'" },
  { names: "xdotool ydotool wtype", example: "xdotool type 'rm x'" },
  { names: "insmod kexec", example: "insmod evil.ko" },
];
