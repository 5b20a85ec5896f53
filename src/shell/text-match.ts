import type { ShellFinding } from "../call/tool-call.ts";
import { SEED_FRAGMENTS } from "./tables/seed.ts";

/** The seed's literal reading: each fragment as a substring of the lower-cased text, first place only (`--destructive-match=text`). */
export function matchText(command: string): ShellFinding[] {
  const lower = command.replaceAll(/[^]/g, (unit) => {
    const small = unit.toLowerCase();
    return small.length === 1 ? small : unit;
  });
  return SEED_FRAGMENTS.flatMap((fragment) => {
    const start = lower.indexOf(fragment);
    return start === -1
      ? []
      : [{ rule: "text.fragment", verdict: "destructive" as const, word: fragment, start, end: start + fragment.length }];
  });
}
