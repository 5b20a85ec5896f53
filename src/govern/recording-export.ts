import { join } from "node:path";
import { z } from "zod";
import { isJsonObject } from "../call/json.ts";
import type { JsonValue } from "../call/json.ts";
import { visible } from "../call/visible.ts";
import { governError } from "./govern-error.ts";
import { openRegular } from "./recording-list.ts";
import { RECORDING_NAME, recordingsFolder } from "./recordings.ts";

const event = z.strictObject({
  ts: z.iso.datetime(),
  session_id: z.string(),
  type: z.enum(["input", "output"]),
  decision_id: z.string(),
  tool: z.string(),
  data: z.json(),
});

/** One line of a recording. */
export type RecordedEvent = Readonly<z.infer<typeof event>>;

/**
 * Reads a recording, event by event.
 * @param sessionId as the human gave it: what is no session id is not found
 * @throws GovernError `govern.not_found`; `govern.store_unreadable` at the first line that is not what Regate writes
 */
export async function* readRecording(stateDir: string, sessionId: string): AsyncGenerator<RecordedEvent> {
  const name = `${sessionId}.jsonl`;
  const file = RECORDING_NAME.test(name) ? await openRegular(join(recordingsFolder(stateDir), name)) : undefined;
  if (file === undefined) throw governError("govern.not_found", `there is no recording of session \`${visible(sessionId).slice(0, 64)}\``);
  try {
    let line = 0;
    for await (const text of file.readLines({ encoding: "utf8", autoClose: false })) {
      line += 1;
      const read = event.safeParse(jsonOf(text));
      if (!read.success || read.data.session_id !== sessionId)
        throw governError("govern.store_unreadable", `line ${line} of the recording is not an event of it`);
      yield read.data;
    }
  } finally {
    await file.close();
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const SIZE = { width: 120, height: 30 };

/**
 * A recording as asciicast v2, line by line: calls stand as prompts, followed by what they gave. Control characters but line feed and tab
 * are shown as escapes: what an agent had printed does not steer the terminal of whoever plays it.
 */
export async function* asciicast(events: AsyncIterable<RecordedEvent>): AsyncGenerator<string> {
  let startedAt: number | undefined;
  for await (const recorded of events) {
    const at = Date.parse(recorded.ts);
    if (startedAt === undefined) {
      startedAt = at;
      yield JSON.stringify({ version: 2, ...SIZE, timestamp: Math.floor(at / 1000), title: recorded.session_id });
    }
    const text = recorded.type === "input" ? `$ ${inputText(recorded)}\n` : endingInLine(outputText(recorded.data));
    // A clock that was set back does not turn the film around.
    yield JSON.stringify([Math.max(0, (at - startedAt) / 1000), "o", shown(text)]);
  }
}

function inputText({ tool, data }: RecordedEvent): string {
  if (!isJsonObject(data)) return tool;
  return typeof data["command"] === "string" && tool === "run_shell" ? data["command"] : `${tool} ${JSON.stringify(data)}`;
}

function outputText(data: JsonValue): string {
  const structured = isJsonObject(data) ? data["structuredContent"] : undefined;
  if (isJsonObject(structured) && typeof structured["stdout"] === "string")
    return [structured["stdout"], structured["stderr"]]
      .filter((part): part is string => typeof part === "string")
      .map(endingInLine)
      .join("");
  if (structured !== undefined) return JSON.stringify(structured, undefined, 2);
  const content = isJsonObject(data) && Array.isArray(data["content"]) ? data["content"] : [];
  return content.flatMap((block) => textOf(block)).join("\n");
}

function textOf(block: JsonValue): string[] {
  const text = isJsonObject(block) ? block["text"] : undefined;
  return typeof text === "string" ? [text] : [];
}

function endingInLine(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}

function shown(text: string): string {
  return text
    .split(/\r?\n/)
    .map((line) => line.split("\t").map(visible).join("\t"))
    .join("\r\n");
}
