import type { Setting } from "./setting.ts";
import { pick, type Sources } from "./sources.ts";

/** What the governed tools are told by the operator (docs/governed-tools.md). */
export interface GovernedToolOptions {
  /** Whether tool input and output is recorded. */
  readonly recordings: boolean;
}

/** Settings of the governed tools. */
export const TOOL_SETTINGS = {
  recordings: {
    name: "recordings",
    kind: "text",
    env: ["REGATE_RECORDINGS"],
    placeholder: "on|off",
    choices: ["on", "off"],
    describe: "record what goes into tools and comes out of them, redacted, in the state directory (default: on)",
  },
} as const satisfies Record<string, Setting>;

/** The options as they are set, else their defaults. */
export function governedToolOptions(sources: Sources): GovernedToolOptions {
  return Object.freeze({ recordings: pick(TOOL_SETTINGS.recordings, sources)?.value !== "off" });
}
