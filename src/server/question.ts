import type { JsonObject } from "../call/json.ts";
import { RUN_SHELL } from "../call/make-call.ts";
import type { ToolCall } from "../call/tool-call.ts";
import { visible } from "../call/visible.ts";
import { identityElicitationEcho } from "../session/identity-echo.ts";
import type { SessionView } from "../session/session.ts";

/** What a human is shown and asked, in the form of MCP elicitation: a text, and a form with one required boolean `confirm`. */
export interface Question {
  /** Identity echo, blank line, command, what it does, what a yes means; never a value of the arguments (design §6). */
  readonly message: string;
  readonly requestedSchema: {
    readonly type: "object";
    readonly properties: { readonly confirm: { readonly type: "boolean"; readonly title: string; readonly description: string } };
    readonly required: ["confirm"];
  };
}

/** What a question is about. */
export interface Asked {
  readonly call: ToolCall;
  readonly session: SessionView;
  /** Language of the identity echo; English unless given. */
  readonly locale?: string | undefined;
}

/** Findings of the classifier that are named one by one. */
const MAX_RULES = 5;

/**
 * The question about one call (design §6; reference: identity gate, human confirmation). Its first line is the identity echo, so that a
 * mismatch is seen before anything else. Whatever a caller or an upstream server named is shown with visible escapes (trial P09).
 */
export function questionAbout({ call, session, locale }: Asked): Question {
  const echo = identityElicitationEcho({ activeProfileLabel: session.profile.active, ...(locale === undefined ? {} : { locale }) });
  const lines = [
    echo,
    "",
    `The agent asks to run ${nameOf(call)}.`,
    ...consequences(call),
    "Nothing has run yet. Confirm only if this is what you want.",
  ];
  return {
    message: lines.join("\n"),
    requestedSchema: {
      type: "object",
      properties: { confirm: { type: "boolean", title: "Run it", description: "yes runs the call, no refuses it" } },
      required: ["confirm"],
    },
  };
}

/** The command key, and the wire name where it is another. */
function nameOf({ tool, facts }: ToolCall): string {
  const key = facts.command_key ?? tool;
  return key === tool ? quoted(tool) : `${quoted(key)} (${quoted(tool)})`;
}

function consequences({ tool, facts, shell }: ToolCall): readonly string[] {
  if (tool === RUN_SHELL && shell !== undefined) return [`It runs a shell command; ${classified(shell)}.`];
  const known = [
    ...(facts.handoff ? ["It hands something over to others; that cannot be taken back."] : []),
    ...(facts.destructive ? ["It changes or destroys data of the active profile."] : []),
  ];
  return known.length > 0 ? known : ["The policy wants your consent to this call."];
}

/** What the classifier said, by the ids of its rules: the words of the command are values of the arguments. */
function classified({ verdict, findings }: NonNullable<ToolCall["shell"]>): string {
  const rules = [...new Set(findings.map(({ rule }) => visible(rule)))];
  const more = rules.length > MAX_RULES ? ` and ${rules.length - MAX_RULES} more` : "";
  const named = rules.length === 0 ? "" : ` (${rules.slice(0, MAX_RULES).join(", ")}${more})`;
  switch (verdict) {
    case "destructive":
      return `the classifier calls it destructive${named}`;
    case "unverifiable":
      return `the classifier cannot tell what it does${named}`;
    default:
      return "the classifier found nothing destructive in it";
  }
}

/** A name in backticks that it cannot close. */
function quoted(name: string): string {
  return `\`${visible(name).replaceAll("`", "\\u{60}")}\``;
}

/** The question as params of `elicitation/create`. */
export function elicitationParams({ message, requestedSchema }: Question): JsonObject {
  return { mode: "form", message, requestedSchema: structuredClone(requestedSchema) as JsonObject };
}
