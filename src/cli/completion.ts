import type { Command } from "./command.ts";
import { COMPLETE_WORD } from "./complete.ts";
import { write } from "./output.ts";

const BASH = `# completion of regate for bash: source <(regate completion bash)
_regate() {
  mapfile -t COMPREPLY < <(regate ${COMPLETE_WORD} "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o bashdefault -o default -F _regate regate
`;

const ZSH = `#compdef regate
# completion of regate for zsh: source <(regate completion zsh)
_regate() {
  local -a reply
  reply=("\${(@f)$(regate ${COMPLETE_WORD} "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "\${reply[1]}" ]]; then compadd -- "\${reply[@]}"; else _files; fi
}
compdef _regate regate
`;

/** `regate completion bash|zsh`: prints a script for the shell's start-up file. */
const bash: Command = {
  path: ["completion", "bash"],
  summary: "print the completion script for bash",
  options: [],
  examples: [["source <($0 completion bash)", "complete regate's commands and flags in this shell"]],
  run: async (_args, io) => {
    await write(io.stdout, BASH);
    return 0;
  },
};

const zsh: Command = {
  path: ["completion", "zsh"],
  summary: "print the completion script for zsh",
  options: [],
  examples: [["source <($0 completion zsh)", "complete regate's commands and flags in this shell"]],
  run: async (_args, io) => {
    await write(io.stdout, ZSH);
    return 0;
  },
};

/** `regate completion bash` and `regate completion zsh`. */
export const COMPLETION_COMMANDS: readonly Command[] = [bash, zsh];
