import { hash } from "node:crypto";
import { redactJson, redactText } from "../audit/redact.ts";
import type { JsonObject, JsonValue } from "../call/json.ts";
import { visible, visiblePieces } from "../call/visible.ts";
import type { ApprovalRequester, ApprovalView } from "./approval-view.ts";

/** What an approver has to know of one call. */
export interface DisplayFacts {
  readonly tool: string;
  readonly arguments: Readonly<JsonObject>;
  readonly session_id: string;
  readonly agent_id: string;
  readonly requester: ApprovalRequester;
  readonly workdir: string;
  readonly profile: string | null;
  readonly variables: readonly string[];
  readonly home: readonly string[];
  readonly sandbox: Readonly<JsonObject>;
  readonly server: string;
  readonly policy: string;
  /** One line a file that the command executes. */
  readonly files: readonly string[];
  readonly digest: string;
}

/** Width of a line of a value: a terminal that broke it by itself could put text where our labels stand. */
const WIDTH = 96;
/** Short values stand beside their label. */
const BESIDE = 72;

/**
 * The whole text that an approver sees of a call (trial P09): nothing is cut; secrets are taken out by the one redactor, and what was taken
 * out is listed; every character that could disguise something is an escape. What others wrote stands behind a gutter, so that it cannot
 * pose as a line of ours.
 * @throws Error `audit.redaction_failed` when the arguments cannot be looked through
 */
export function displayText(facts: DisplayFacts): ApprovalView["shown"] {
  const { value, erased } = redactJson(facts.arguments as JsonObject);
  const lines = [
    ...field("tool", facts.tool),
    "arguments:",
    ...Object.keys(value)
      .sort()
      .flatMap((key) => argument(key, value[key] as JsonValue)),
    ...(erased.length === 0 ? [] : ["taken out, and part of the digest:", ...erased.flatMap((path) => gutter(path))]),
    ...(facts.files.length === 0 ? [] : ["files that it runs:", ...facts.files.flatMap((file) => gutter(file))]),
    ...field("working directory", facts.workdir === "" ? "none" : facts.workdir),
    ...field("profile", facts.profile === null ? "none" : `\`${facts.profile}\``),
    ...field("variables of the profile", facts.variables.length === 0 ? "none" : facts.variables.join(", ")),
    ...(facts.home.length === 0 ? [] : ["of the home directory:", ...facts.home.flatMap((path) => gutter(path))]),
    ...field("sandbox", JSON.stringify(facts.sandbox)),
    ...(facts.server === "" ? [] : field("server", facts.server)),
    ...field("asked by", requesterText(facts.requester)),
    ...field("agent", facts.agent_id),
    ...field("session", facts.session_id),
    ...field("policy", facts.policy),
    `digest: ${facts.digest}`,
  ];
  const text = `${lines.join("\n")}\n`;
  return Object.freeze({ text, digest: hash("sha256", text, "hex") });
}

/** Any other text of a request on one line of a terminal or page: without secrets, with visible escapes. */
export function displayLine(text: string): string {
  return visible(redactText(text));
}

function requesterText({ user, uid, os_user: osUser }: ApprovalRequester): string {
  return osUser === undefined ? `${user} (uid ${uid})` : `${user} (server of ${osUser}, uid ${uid})`;
}

function field(label: string, value: string): readonly string[] {
  const text = visible(value);
  return text.length <= BESIDE ? [`${label}: ${text}`] : [`${label}:`, ...gutter(value)];
}

function argument(key: string, value: JsonValue): readonly string[] {
  const kind = typeof value === "string" ? "text" : Array.isArray(value) ? "list" : value === null ? "null" : typeof value;
  return [...gutter(`${key} (${kind})`, "  * "), ...gutter(typeof value === "string" ? value : JSON.stringify(value))];
}

/** A value behind `|`, one line a line of it, each with its end to be seen; `>` goes on with a line that is too long. */
function gutter(value: string, first = "  | "): readonly string[] {
  const lines: string[] = [];
  let line = first;
  let width = 0;
  const next = (start: string): void => {
    lines.push(line);
    line = start;
    width = 0;
  };
  for (const piece of visiblePieces(value)) {
    if (width > 0 && width + piece.length > WIDTH) next("  > ");
    line += piece;
    width += piece.length;
    if (piece === NEW_LINE) next("  | ");
  }
  return [...lines, line];
}

const NEW_LINE = "\\u{a}";
