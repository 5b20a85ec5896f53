import type { ZodType } from "zod";
import { frozenCopy } from "../call/frozen-copy.ts";
import type { JsonObject } from "../call/json.ts";
import { visible } from "../call/visible.ts";

/** Arguments as the handler gets them, or what is wrong with them, in one line. */
export type CheckedArguments =
  | { readonly ok: true; readonly value: Readonly<JsonObject> }
  | { readonly ok: false; readonly problem: string };

/** Accepted on every tool and ignored (seed 003: they are command arguments and never replace the claim). */
const CLAIM_NAMES: ReadonlySet<string> = new Set(["agent_id", "session_id"]);

/** Longest part of a caller's text that an answer repeats. */
const MAX_ECHO = 64;

/**
 * Checks a call's arguments against the tool's schema (design §5: the schemas are the handler's, after the decision).
 * @param schema closed object schema of the tool
 * @param args arguments as they were judged
 */
export function checkArguments(schema: ZodType, args: Readonly<JsonObject>): CheckedArguments {
  const own = Object.fromEntries(Object.entries(args).filter(([key]) => !CLAIM_NAMES.has(key)));
  const parsed = schema.safeParse(own);
  if (!parsed.success) return { ok: false, problem: problemOf(parsed.error.issues[0]) };
  const copy = frozenCopy(parsed.data);
  return copy.ok ? copy : { ok: false, problem: "not plain JSON" };
}

interface Issue {
  readonly code?: string | undefined;
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly keys?: readonly string[];
}

function problemOf(issue: Issue | undefined): string {
  if (issue === undefined) return "not accepted";
  const [unknown] = issue.keys ?? [];
  if (unknown !== undefined) return `${echo([...issue.path, unknown])} is not an argument of this tool`;
  const message = issue.message.replace(/^Invalid input: /, "");
  return `${echo(issue.path)}: ${message.charAt(0).toLowerCase()}${message.slice(1)}`;
}

function echo(path: readonly PropertyKey[]): string {
  return `\`${visible(path.map(String).join(".")).slice(0, MAX_ECHO)}\``;
}
