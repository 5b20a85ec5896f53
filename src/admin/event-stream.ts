import type { Context } from "hono";
import { streamSSE } from "hono/streaming";
import { readKey } from "../govern/keys.ts";
import type { AdminEnv, AppOptions } from "./app.ts";
import type { AdminEvent } from "./events.ts";
import { httpError } from "./http-error.ts";
import type { Approver } from "./ports.ts";

/** How often an open stream says that it is alive, and looks whether its key still is. */
const HEARTBEAT_MS = 10_000;
const MAX_STREAMS = 256;
/** Events that wait for a slow reader; with more, it is hung up on and reads everything again when it is back. */
const MAX_WAITING = 1_000;

/** Streams events to one reader until it goes, its key is revoked, or the server ends. @throws HttpError 429 with too many streams */
export function streamEvents(context: Context<AdminEnv>, { hub, core, stop, key }: AppOptions & { readonly key: Approver }): Response {
  if (hub.listeners() >= MAX_STREAMS) throw httpError(429, "too many requests");
  context.header("x-accel-buffering", "no");
  return streamSSE(context, async (stream) => {
    const queue: AdminEvent[] = [];
    let wake = (): void => {};
    const end = hub.listen((event) => {
      queue.push(event);
      wake();
    });
    const onEnd = (): void => wake();
    stop.addEventListener("abort", onEnd, { once: true });
    stream.onAbort(onEnd);
    try {
      await stream.writeSSE({ event: "hello", data: "{}" });
      while (!stream.aborted && !stop.aborted && queue.length <= MAX_WAITING) {
        for (const { name, data } of queue.splice(0)) await stream.writeSSE({ event: name, data: JSON.stringify(data) });
        if (!isGood(core.stateDir, key)) break;
        const isQuiet = await quiet((awake) => {
          wake = awake;
          if (queue.length > 0) awake();
        });
        if (isQuiet) await stream.write(": alive\n\n");
      }
    } finally {
      end();
      stop.removeEventListener("abort", onEnd);
    }
  });
}

/** True after a heartbeat's time without a call of `awake`. */
async function quiet(until: (awake: () => void) => void): Promise<boolean> {
  return await new Promise<boolean>((resolve) => {
    const timer = setTimeout(() => resolve(true), HEARTBEAT_MS);
    until(() => {
      clearTimeout(timer);
      resolve(false);
    });
  });
}

function isGood(stateDir: string, key: Approver): boolean {
  try {
    const known = readKey(stateDir, key.name);
    return known?.public_key === key.publicKey && known.revoked_at === undefined;
  } catch {
    return false;
  }
}
