import type { JsonObject } from "../call/json.ts";
import { RUN_SHELL } from "../call/make-call.ts";
import type { ToolCall } from "../call/tool-call.ts";
import { visible } from "../call/visible.ts";
import { identityElicitationEcho } from "../session/identity-echo.ts";
import type { SessionView } from "../session/session.ts";
import { textIn, type TextKey } from "../session/texts/catalogue.ts";

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
  /** Language of the question; English unless given. */
  readonly locale?: string | undefined;
}

/** Findings of the classifier that are named one by one. */
const MAX_RULES = 5;

/**
 * The question about one call (design §6; reference: identity gate, human confirmation). Its first line is the identity echo, so that a
 * mismatch is seen before anything else. Whatever a caller or an upstream server named is shown with visible escapes (trial P09).
 */
export function questionAbout({ call, session, locale }: Asked): Question {
  const say: Say = (key) => textIn(locale, key);
  const echo = identityElicitationEcho({ activeProfileLabel: session.profile.active, ...(locale === undefined ? {} : { locale }) });
  const asks = say("question.command").replace("{command}", () => nameOf(call));
  return {
    message: [echo, "", asks, ...consequences(call, say), say("question.closing")].join("\n"),
    requestedSchema: {
      type: "object",
      properties: { confirm: { type: "boolean", title: say("question.yes"), description: say("question.choice") } },
      required: ["confirm"],
    },
  };
}

type Say = (key: TextKey) => string;

/** The command key, and the wire name where it is another. */
function nameOf({ tool, facts }: ToolCall): string {
  const key = facts.command_key ?? tool;
  return key === tool ? quoted(tool) : `${quoted(key)} (${quoted(tool)})`;
}

function consequences({ tool, facts, shell }: ToolCall, say: Say): readonly string[] {
  if (tool === RUN_SHELL && shell !== undefined)
    return [say(`question.shell.${shell.verdict}`).replace("{rules}", () => ruleNames(shell.findings))];
  const known = [...(facts.handoff ? [say("question.handoff")] : []), ...(facts.destructive ? [say("question.destructive")] : [])];
  return known.length > 0 ? known : [say("question.policy")];
}

/** What the classifier found, by the ids of its rules: the words of the command are values of the arguments. */
function ruleNames(findings: NonNullable<ToolCall["shell"]>["findings"]): string {
  const rules = [...new Set(findings.map(({ rule }) => visible(rule)))];
  const more = rules.length > MAX_RULES ? `, + ${rules.length - MAX_RULES}` : "";
  return rules.length === 0 ? "" : ` (${rules.slice(0, MAX_RULES).join(", ")}${more})`;
}

/** A name in backticks that it cannot close. */
function quoted(name: string): string {
  return `\`${visible(name).replaceAll("`", "\\u{60}")}\``;
}

/** The question as params of `elicitation/create`. */
export function elicitationParams({ message, requestedSchema }: Question): JsonObject {
  return { mode: "form", message, requestedSchema: structuredClone(requestedSchema) as JsonObject };
}
