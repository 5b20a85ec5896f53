import type { Stops } from "../govern/active-stops.ts";

/** How often a session whose calls run is looked at; with the end of a command it stays within 2 s (design §8; trials U03). */
const LOOK_MS = 250;

/** Why a running handler is to end although its caller still waits: the corridor closes, or a human ends what runs. */
export type EndingCode = "call.cancelled" | "call.stopped";

/** Tells running handlers that they are to end. */
export interface Endings {
  /**
   * A handler begins; `end` is called when it is to end, at once where everything has ended already.
   * @returns to be called when the handler is over
   */
  begin(end: (code: EndingCode) => void): () => void;
}

/**
 * Watches for what ends all running handlers of a corridor, while any runs; an idle session costs nothing after one more look.
 * @param shutdown aborted when the corridor closes
 * @param stops what stops the session; without it only the shutdown ends anything
 */
export function createEndings(shutdown: AbortSignal, stops: Pick<Stops, "reasonFor"> | undefined): Endings {
  const running = new Set<(code: EndingCode) => void>();
  let timer: NodeJS.Timeout | undefined;
  const endAll = (code: EndingCode): void => {
    for (const end of running) end(code);
  };
  const look = (): void => {
    if (running.size > 0) return stops?.reasonFor()?.endsRunning === true ? endAll("call.stopped") : undefined;
    clearInterval(timer);
    timer = undefined;
  };
  shutdown.addEventListener("abort", () => endAll("call.cancelled"), { once: true });
  return {
    begin(end) {
      running.add(end);
      if (stops !== undefined) timer ??= setInterval(look, LOOK_MS).unref();
      if (shutdown.aborted) end("call.cancelled");
      return () => {
        running.delete(end);
      };
    },
  };
}
