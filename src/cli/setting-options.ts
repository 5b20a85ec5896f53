import { ADMIN_SETTINGS } from "../config/admin-settings.ts";
import { WORKER_ONLY } from "../config/delegate-settings.ts";
import type { Setting } from "../config/setting.ts";
import { CONFIG_SETTING, SETTINGS } from "../config/settings.ts";
import type { OptionSpec } from "./command.ts";

/** The flag of a setting. */
export function optionFor(setting: Setting): OptionSpec {
  return {
    name: setting.name,
    kind: setting.kind === "switch" ? "switch" : "text",
    describe: setting.describe,
    ...(setting.placeholder === undefined ? {} : { placeholder: setting.placeholder }),
    ...(setting.choices === undefined ? {} : { choices: setting.choices }),
    ...(setting.problem === undefined ? {} : { problem: setting.problem }),
    ...(setting.emptyFlag === undefined ? {} : { emptyAllowed: setting.emptyFlag }),
  };
}

/** The flags of the settings that a command uses, and `--config` (design §3: every setting has the same name everywhere). */
export function settingOptions(names: readonly (keyof typeof SETTINGS)[]): readonly OptionSpec[] {
  return [...names.map((name) => optionFor(SETTINGS[name])), optionFor(CONFIG_SETTING)];
}

/** The flags of every setting that means something to a server. */
export function allSettingOptions(): readonly OptionSpec[] {
  const workerOnly: ReadonlySet<string> = new Set(WORKER_ONLY);
  return settingOptions((Object.keys(SETTINGS) as (keyof typeof SETTINGS)[]).filter((name) => !workerOnly.has(name)));
}

/** What a server would be about which the admin server explains; the other settings come from the environment and the file alone. */
const EXPLAINED = ["bundle", "workdir", "agentToolsFile", "requireAgentDryRun"] as const;

/** The flags of the admin server. */
export function adminOptions(): readonly OptionSpec[] {
  return [...Object.values(ADMIN_SETTINGS), SETTINGS.stateDir, ...EXPLAINED.map((name) => SETTINGS[name]), CONFIG_SETTING].map(optionFor);
}
