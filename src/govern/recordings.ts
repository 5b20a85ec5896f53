import { isoTime } from "../call/iso-time.ts";
import { join } from "node:path";
import { openAppendFile } from "../audit/append-file.ts";
import type { AppendFile } from "../audit/append-file.ts";
import { redactJson } from "../audit/redact.ts";
import type { JsonObject, JsonValue } from "../call/json.ts";
import { makePrivateFolder } from "../files/private-folder.ts";

/** One tool call as a recording names it. */
export interface RecordedCall {
  readonly decisionId: string;
  readonly tool: string;
  readonly arguments: Readonly<JsonObject>;
}

/** The recording of one session: what went into its tools and what came out, redacted (design §8). */
export interface Recording {
  /** Writes the input of an admitted call. Throws when it is not in the file whole: then nothing may run. */
  input(call: RecordedCall): void;
  /** Writes what a call gave. Throws when it cannot: what has run has run. */
  output(call: RecordedCall, result: Readonly<JsonObject>): void;
  close(): void;
}

/** Where a recording goes and what tells its time. */
export interface RecordingOptions {
  /** Absolute path of the state directory. */
  readonly stateDir: string;
  /** `mcp-<19 digits>`: names the file. */
  readonly sessionId: string;
  readonly now: () => Date;
}

const TRUST_MS = 50;

/** File names of recordings: nothing else in the folder is one. */
export const RECORDING_NAME = /^(mcp-\d{19})\.jsonl$/;

/** Folder of the recordings in a state directory. */
export function recordingsFolder(stateDir: string): string {
  return join(stateDir, "recordings");
}

/**
 * Opens the recording of a session: `<state directory>/recordings/<session>.jsonl`, folder 0700, file 0600, one JSON object a line:
 * `{ts, session_id, type, decision_id, tool, data}`. The file is made with the first event. Everything passes the one redactor, and what was
 * secret in a call's input is erased from its output too.
 */
export function openRecording({ stateDir, sessionId, now }: RecordingOptions): Recording {
  let file: AppendFile | undefined;
  const append = (type: "input" | "output", { decisionId, tool }: RecordedCall, data: JsonValue): void => {
    // What is put in right after something that was there before stands where that stands; the output that follows looks again.
    const trustMs = type === "input" ? TRUST_MS : 0;
    file ??= create(stateDir, sessionId);
    const event = {
      ts: isoTime(now().getTime()),
      session_id: sessionId,
      type,
      decision_id: decisionId,
      tool: redactJson(tool).value,
      data,
    };
    file.append(Buffer.from(`${JSON.stringify(event)}\n`), trustMs);
  };
  return {
    input: (call) => append("input", call, redactJson<JsonObject>(call.arguments).value),
    output(call, result) {
      // Redacted with its input, so that an answer that repeats a secret argument does not give it away.
      const { value } = redactJson<JsonObject>({ input: call.arguments, output: result });
      append("output", call, value["output"] ?? null);
    },
    close: () => file?.close(),
  };
}

function create(stateDir: string, sessionId: string): AppendFile {
  const name = `${sessionId}.jsonl`;
  if (!RECORDING_NAME.test(name)) throw new Error(`\`${sessionId}\` cannot name a recording`);
  makePrivateFolder(recordingsFolder(stateDir));
  return openAppendFile(join(recordingsFolder(stateDir), name));
}
