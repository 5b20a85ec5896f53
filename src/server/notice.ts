import type { JsonValue } from "../call/json.ts";
import { isJsonObject } from "../call/json.ts";
import type { HumanLine } from "./human-line.ts";
import type { LegacySession } from "./mcp-server.ts";

/** What a client can be shown, as it said at its handshake and since. */
export interface NoticeChannel {
  readonly elicit: LegacySession["elicit"];
  /** Whether the client opens addresses for the human (elicitation of mode `url`). */
  readonly canOpenUrl: () => boolean;
  /** Whether the client takes log messages of this level. */
  readonly canLog: () => boolean;
  readonly send: (message: object) => void;
}

/** Longest time that a timer can hold: how long is waited is the login's business. */
const NO_TIMEOUT_MS = 2_147_483_647;
const LEVELS = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

/**
 * Shows an address to the human: by URL elicitation (2025-11-25), else as a log message of level `notice`. A client that fails at the first
 * is no refusal of the human.
 */
export function noticeThrough({ elicit, canOpenUrl, canLog, send }: NoticeChannel): HumanLine["notice"] {
  return ({ id, url, message }, signal) => {
    if (canOpenUrl()) return asked(elicit({ mode: "url", elicitationId: id, url, message }, { signal, timeout: NO_TIMEOUT_MS }));
    if (!canLog()) return undefined;
    send({ jsonrpc: "2.0", method: "notifications/message", params: { level: "notice", logger: "regate", data: message } });
    return undefined;
  };
}

async function asked(answer: Promise<{ readonly action: string }>): Promise<boolean> {
  try {
    const { action } = await answer;
    return action !== "decline" && action !== "cancel";
  } catch {
    return true;
  }
}

/** Whether a client opens addresses: it says so by name, since forms alone are the older meaning. */
export function supportsUrl(capabilities: JsonValue | undefined): boolean {
  const elicitation = isJsonObject(capabilities) ? capabilities["elicitation"] : undefined;
  return isJsonObject(elicitation) && isJsonObject(elicitation["url"]);
}

/** Whether a message of level `notice` passes a wanted level; undefined for a level that there is not. */
export function passesNotice(level: JsonValue | undefined): boolean | undefined {
  const wanted = typeof level === "string" ? LEVELS.indexOf(level) : -1;
  return wanted === -1 ? undefined : wanted <= LEVELS.indexOf("notice");
}
