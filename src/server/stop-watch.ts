import type { Stops } from "../govern/active-stops.ts";

/** How often a session whose calls run is looked at; with the end of a command it stays within 2 s (design §8; trials U03). */
const LOOK_MS = 250;

/** Ends what runs when a human says so. */
export interface StopWatch {
  /** A handler begins; its signal is aborted when what runs is to end. */
  begin(): { readonly signal: AbortSignal; readonly ended: () => void };
}

/**
 * Watches for a stop that ends what runs, while anything does; an idle session costs nothing.
 * @param stops what stops the session; without it nothing is watched
 */
export function createStopWatch(stops: Pick<Stops, "reasonFor"> | undefined): StopWatch | undefined {
  if (stops === undefined) return undefined;
  const running = new Set<AbortController>();
  let timer: NodeJS.Timeout | undefined;
  const look = (): void => {
    if (stops.reasonFor()?.endsRunning === true) for (const controller of running) controller.abort();
  };
  return {
    begin() {
      const controller = new AbortController();
      running.add(controller);
      timer ??= setInterval(look, LOOK_MS).unref();
      return {
        signal: controller.signal,
        ended() {
          running.delete(controller);
          if (running.size > 0) return;
          clearInterval(timer);
          timer = undefined;
        },
      };
    },
  };
}
