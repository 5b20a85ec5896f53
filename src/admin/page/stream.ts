import { bearer, hasStatus } from "./api.ts";

/** What a reader of the event stream is told. */
export interface StreamListener {
  readonly onEvent: (name: string) => void;
  readonly onState: (isLive: boolean) => void;
  readonly onUnauthorized: () => void;
}

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 10_000;

/** Reads the server's events for as long as somebody is signed in, and comes back after a break. `EventSource` could not bring the key. */
export function openStream({ onEvent, onState, onUnauthorized }: StreamListener): () => void {
  const end = new AbortController();
  void (async () => {
    let wait = FIRST_WAIT_MS;
    while (!end.signal.aborted) {
      try {
        const response = await fetch("/v1/events", { headers: bearer(), signal: end.signal });
        if (!response.ok || response.body === null) throw Object.assign(new Error("no stream"), { status: response.status });
        onState(true);
        wait = FIRST_WAIT_MS;
        await readFrames(response.body, onEvent);
      } catch (error) {
        if (hasStatus(error, 401)) return onUnauthorized();
      }
      if (end.signal.aborted) return undefined;
      onState(false);
      await new Promise((resolve) => setTimeout(resolve, wait));
      wait = Math.min(wait * 2, LONGEST_WAIT_MS);
    }
    return undefined;
  })();
  return () => end.abort();
}

async function readFrames(body: ReadableStream<Uint8Array>, onEvent: (name: string) => void): Promise<void> {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    text += value;
    const frames = text.split("\n\n");
    text = frames.pop() ?? "";
    for (const frame of frames) {
      const [, name] = /^event: ?(\w+)$/m.exec(frame) ?? [];
      if (name !== undefined) onEvent(name);
    }
  }
}
