import { dirname, resolve } from "node:path";
import { z } from "zod";
import { parseJsonOnce } from "../call/duplicate-keys.ts";
import { ADMIN_SETTINGS } from "./admin-settings.ts";
import { ConfigError } from "./config-error.ts";
import { readBoundedFile } from "./read-file.ts";
import { settingProblem, type Setting } from "./setting.ts";
import { SETTINGS } from "./settings.ts";

const MAX_BYTES = 1_048_576;

/** A read configuration file: values by setting name. */
export interface ConfigFile {
  /** The path as the user gave it. */
  readonly given: string;
  readonly path: string;
  /** Folder of the file: relative paths in it refer to this. */
  readonly folder: string;
  readonly values: ReadonlyMap<string, string | number | boolean>;
}

function valueSchema(setting: Setting): z.ZodType {
  if (setting.kind === "switch") return z.boolean({ error: "must be true or false" });
  const value = setting.kind === "number" ? z.number({ error: "must be a number" }) : z.string({ error: "must be a string" });
  return value.superRefine((entry, context) => {
    const problem = settingProblem(setting, String(entry));
    if (problem !== undefined) context.addIssue({ code: "custom", message: problem });
  });
}

const Schema = z.strictObject(
  Object.fromEntries(
    Object.values({ ...ADMIN_SETTINGS, ...SETTINGS }).map((setting: Setting) => [setting.name, valueSchema(setting).optional()]),
  ),
  {
    error: (issue) => (issue.code === "unrecognized_keys" ? `has an unknown key \`${String(issue.keys[0])}\`` : "must hold a JSON object"),
  },
);

function refuse(given: string, problem: string, cause?: unknown): ConfigError {
  return new ConfigError("config.file", `configuration \`${given}\` ${problem}`, { cause });
}

/**
 * Reads the configuration file: one JSON object whose keys are names of settings, nothing else (design §3).
 * @param given the path as the user gave it; relative paths refer to `cwd`
 * @throws ConfigError `config.file`
 */
export function readConfigFile(given: string, cwd: string): ConfigFile {
  const path = resolve(cwd, given);
  const read = readBoundedFile(path, { maxBytes: MAX_BYTES, links: true });
  if (!read.ok) throw refuse(given, read.problem, read.cause);
  const parsed = parseJsonOnce(read.text);
  if (!parsed.ok) throw refuse(given, parsed.problem, parsed.cause);
  const result = Schema.safeParse(parsed.value);
  if (!result.success) {
    const issue = result.error.issues[0];
    throw refuse(
      given,
      issue === undefined ? "is not valid" : [...issue.path.map((key) => `key \`${String(key)}\``), issue.message].join(" "),
    );
  }
  return { given, path, folder: dirname(path), values: new Map(Object.entries(result.data) as [string, string | number | boolean][]) };
}
