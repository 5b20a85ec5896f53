import { z } from "zod";
import { parseJsonOnce } from "../call/duplicate-keys.ts";
import { ConfigError } from "./config-error.ts";
import { readBoundedFile } from "./read-file.ts";

/** Further queries of cloud_query, by namespace and function. */
export type DeclaredQueries = ReadonlyMap<string, ReadonlyMap<string, { readonly argv: readonly [string, ...string[]] }>>;

const MAX_BYTES = 262_144;
const NAME = /^[a-z][a-z0-9_]{0,63}$/;
const PROGRAM = /^[a-zA-Z0-9][a-zA-Z0-9._-]{0,63}$/;

const name = z.string().refine((text) => NAME.test(text), "is not a name of lower-case letters, digits and `_`");
const word = z
  .string("must be a string")
  .max(4_096, "is too long")
  .refine((text) => !text.includes("\0"), "holds a NUL");
const program = z.string("must be a string").refine((text) => PROGRAM.test(text), "must be the name of a program, without a path");
const query = z.strictObject({ argv: z.tuple([program], word, "must be a list that begins with a program") });
const Schema = z.strictObject({ queries: z.record(name, z.record(name, query)) });

/**
 * Reads a file of further cloud queries: `{"queries": {namespace: {function: {"argv": [program, …]}}}}`, nothing else.
 * @param given the path as the user gave it, for messages
 * @throws ConfigError `config.option`
 */
export function readCloudQueriesFile(path: string, given: string): DeclaredQueries {
  const refuse = (problem: string, cause?: unknown): ConfigError =>
    new ConfigError("config.option", `cloud queries file \`${given}\` ${problem}`, { cause });
  const read = readBoundedFile(path, { maxBytes: MAX_BYTES, links: true });
  const parsed = read.ok ? parseJsonOnce(read.text) : read;
  if (!parsed.ok) throw refuse(parsed.problem, parsed.cause);
  const result = Schema.safeParse(parsed.value);
  if (result.success)
    return new Map(Object.entries(result.data.queries).map(([space, queries]) => [space, new Map(Object.entries(queries))]));
  const [issue] = result.error.issues;
  const place = (issue?.path ?? []).map(String).join(".");
  throw refuse(
    place === "" ? "must hold a JSON object with `queries`, and nothing else" : `key \`${place}\` ${issue?.message ?? "is not valid"}`,
  );
}
