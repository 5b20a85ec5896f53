import type { LoginNotice } from "../govern/device-login.ts";
import type { Confirm } from "./confirm.ts";

/** The way to the human of one session: there before the connection through which it goes. */
export interface HumanLine {
  readonly confirm: Confirm;
  /** Undefined when the client can show no notice. */
  readonly notice: (notice: LoginNotice, signal: AbortSignal) => Promise<boolean> | undefined;
  /** Connects the line; the last connection counts. */
  connect(confirm: Confirm, show?: (notice: LoginNotice, signal: AbortSignal) => Promise<boolean> | undefined): void;
}

/** Makes a line that nobody has connected yet: until then there is no channel. */
export function createHumanLine(): HumanLine {
  let connected: Confirm | undefined;
  let shown: HumanLine["notice"] = () => undefined;
  return {
    confirm: async (request) => (connected === undefined ? "no_channel" : connected(request)),
    notice: (notice, signal) => shown(notice, signal),
    connect: (confirm, show = () => undefined) => {
      connected = confirm;
      shown = show;
    },
  };
}
