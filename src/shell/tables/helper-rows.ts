import type { VerbProgram } from "./types.ts";

/** Options and operands by which harmless programs run a helper (reference: shell.md §7, "shells, interpreters"). */
export const HELPER_ROWS: readonly VerbProgram[] = [
  {
    family: "typesetting",
    names: "latex pdflatex xelatex lualatex tex pdftex xetex luatex latexmk context",
    data: true,
    single: true,
    valued: "-output-directory -jobname -interaction -output-format",
    rows: [
      {
        id: "escape",
        options: "-shell-escape --shell-escape -enable-write18 --enable-write18",
        verdict: "unverifiable",
        example: "pdflatex --shell-escape paper",
        clear: "pdflatex -interaction nonstopmode rm",
      },
      {
        id: "code",
        operand: /\\(?:write18|directlua)/,
        verdict: "unverifiable",
        example: "pdftex '\\write18{rm x}\\end'",
        clear: "pdftex '\\end'",
      },
    ],
  },
  {
    family: "kernel",
    names: "sysctl",
    data: true,
    rows: [
      {
        id: "program",
        operand: /=\s*\||core_pattern|modprobe|\.hotplug/,
        verdict: "unverifiable",
        example: "sysctl 'kernel.core_pattern=|/x'",
        clear: "sysctl net.ipv4.ip_forward",
      },
    ],
  },
  {
    family: "mount",
    names: "sshfs",
    data: true,
    valued: "-o -p -F",
    rows: [
      {
        id: "helper",
        options: "-o",
        value: /ssh_command|sftp_server|ProxyCommand/i,
        verdict: "unverifiable",
        example: "sshfs -o ssh_command='rm x' h: d",
        clear: "sshfs -o reconnect h: d",
      },
    ],
  },
];
