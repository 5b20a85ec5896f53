import type { Confirm } from "./confirm.ts";

/** The way to the human of one session: there before the connection through which it goes. */
export interface HumanLine {
  readonly confirm: Confirm;
  /** Connects the line; the last connection counts. */
  connect(confirm: Confirm): void;
}

/** Makes a line that nobody has connected yet: until then there is no channel. */
export function createHumanLine(): HumanLine {
  let connected: Confirm | undefined;
  return {
    confirm: async (request) => (connected === undefined ? "no_channel" : connected(request)),
    connect: (confirm) => {
      connected = confirm;
    },
  };
}
