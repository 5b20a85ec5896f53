import { ADMIN_SETTINGS } from "../config/admin-settings.ts";
import type { Setting } from "../config/setting.ts";
import { CONFIG_SETTING, SETTINGS } from "../config/settings.ts";
import type { OptionSpec } from "./command.ts";

function optionFor(setting: Setting): OptionSpec {
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

/** The flags of every setting. */
export function allSettingOptions(): readonly OptionSpec[] {
  return [...Object.values(SETTINGS), CONFIG_SETTING].map(optionFor);
}

/** The flags of the admin server. */
export function adminOptions(): readonly OptionSpec[] {
  return [...Object.values(ADMIN_SETTINGS), SETTINGS.stateDir, CONFIG_SETTING].map(optionFor);
}
