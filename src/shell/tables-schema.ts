import { z } from "zod";
import type { Choice } from "./tables/types.ts";

const CHOICES = [
  "append",
  "copy",
  "move",
  "in_place_edit",
  "tee",
  "compress",
  "git_branch_delete",
  "compose_down",
  "container_stop",
  "iac_plan_destroy",
  "inline_code",
] as const satisfies readonly Choice[];

const program = z.string().regex(/^[a-z0-9][a-z0-9._+-]{0,63}$/, "a program is its base name in lower case");
const programs = z.array(program).min(1).max(64);
const option = z.string().regex(/^-[^\s=]{1,63}$/, "an option begins with a dash and has no blank and no equals sign");
const options = z.array(option).max(256);
const command = z.string().min(1).max(1000);
const verbs = z.string().regex(/^\S+(?: \S+)*$/, "verbs are words with one blank between them");
const pattern = z.string().min(1).max(500).superRefine(compiles);

function compiles(source: string, context: z.RefinementCtx): void {
  try {
    RegExp(source, "u");
  } catch {
    context.addIssue({ code: "custom", message: "not a regular expression" });
  }
}

/** A row of a program's verb table, with the commands that prove it. */
const row = z.strictObject({
  id: z.string().regex(/^[a-z0-9][a-z0-9-]{0,63}$/, "an id is lower-case words with hyphens"),
  verbs: verbs.optional(),
  options: options.optional(),
  value: pattern.optional(),
  operand: pattern.optional(),
  unless: options.optional(),
  verdict: z.enum(["destructive", "unverifiable"]).default("destructive"),
  match: z.array(command).min(1),
  not_match: z.array(command).default([]),
});

const table = z.strictObject({
  names: programs,
  valued: options.default([]),
  dry_run: options.default([]),
  rows: z.array(row).min(1),
});

const wrapper = z.strictObject({
  names: programs,
  valued: options.default([]),
  code: options.default([]),
  skip: z.int().min(0).max(8).default(0),
  assigns: z.boolean().default(false),
});

/** The file by which an operator adds to the tables; unknown keys are refused. */
export const TABLES_SCHEMA = z.strictObject({
  data: z.array(program).default([]),
  destructive: z.array(program).default([]),
  unverifiable: z.array(program).default([]),
  wrappers: z.array(wrapper).default([]),
  programs: z.array(table).default([]),
  environment: z.array(z.string().regex(/^[A-Za-z_]\w{0,63}\*?$/, "a name of a variable, or a prefix and an asterisk")).default([]),
  safe_targets: z
    .array(z.string().regex(/^\/(?!.*(?:^|\/)\.\.?(?:\/|$))[^\s*?[]+$/, "an absolute path without dots, blanks and patterns"))
    .default([]),
  choices: z.partialRecord(z.enum(CHOICES), z.boolean()).default({}),
  examples: z
    .strictObject({
      destructive: z.array(command).default([]),
      unverifiable: z.array(command).default([]),
      clear: z.array(command).default([]),
    })
    .default({ destructive: [], unverifiable: [], clear: [] }),
});

/** Such a file after validation. */
export type TablesFile = z.infer<typeof TABLES_SCHEMA>;
