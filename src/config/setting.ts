/** One setting: the same name as flag (`--name`) and as key of the configuration file, and its environment variables. */
export interface Setting {
  readonly name: string;
  /** `switch` takes no value and can only turn something on; `number` is a JSON number in the file. */
  readonly kind: "text" | "number" | "switch";
  /** Variables in their order: `REGATE_*` first, then the `ADSSH_*` name where seed 003 names one. */
  readonly env: readonly string[];
  /** What stands for the value in help. */
  readonly placeholder?: string;
  readonly describe: string;
  readonly choices?: readonly string[];
  /** What is wrong with a value, as a phrase that follows it; undefined when it may be used. */
  readonly problem?: (value: string) => string | undefined;
  /** True when an empty flag value has a meaning of its own (seed 003: no allowlist). */
  readonly emptyFlag?: boolean;
}

/** What is wrong with a value of a setting, from whatever source, as a phrase that follows it. */
export function settingProblem(setting: Setting, value: string): string | undefined {
  if (value === "") return "must not be empty";
  if (setting.choices !== undefined && !setting.choices.includes(value))
    return `must be ${setting.choices.map((choice) => `\`${choice}\``).join(" or ")}`;
  return setting.problem?.(value);
}

/** A check for whole numbers of a range, as `Setting.problem`. */
export function wholeNumber(min: number, max: number): (value: string) => string | undefined {
  return (value) => {
    const number = /^(?:0|[1-9][0-9]{0,8})$/.test(value) ? Number(value) : -1;
    return number >= min && number <= max ? undefined : `must be a whole number from ${min} to ${max}`;
  };
}
