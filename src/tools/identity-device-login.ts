import { z } from "zod";
import { isDeviceError } from "../govern/device-error.ts";
import type { StoredToken } from "../govern/token-file.ts";
import { ToolError } from "./tool-error.ts";
import type { Tool } from "./tool.ts";

/** What identity_device_login needs. */
export interface DeviceLoginPorts {
  readonly login: (wish: { readonly duration?: string; readonly signal: AbortSignal }) => Promise<StoredToken>;
}

/** Above the longest duration: the login ends by itself. */
const TIMEOUT_MS = 25 * 60 * 60 * 1_000;

const input = z.strictObject({
  duration: z.string().optional().describe("how long the human may take, such as `10m`; at most 24h"),
});

/**
 * identity_device_login (seed 003; design §7): `{duration?}` → `{token_file, fingerprint}`. The authorization server comes from the operator's
 * settings, the code goes to the human, the bearer into the file and nowhere else.
 */
export function identityDeviceLoginTool({ login }: DeviceLoginPorts): Tool {
  return {
    name: "identity_device_login",
    title: "Log the human in",
    description:
      "Lets the human of this session log in with a code that they are shown (RFC 8628). Answers with the file that holds the token and the token's fingerprint, never with the token.",
    input,
    output: z.strictObject({ token_file: z.string(), fingerprint: z.string() }),
    timeoutMs: TIMEOUT_MS,
    async handler(args, { signal }) {
      const { duration } = args as z.infer<typeof input>;
      try {
        const { token_file, fingerprint } = await login({ signal, ...(duration === undefined ? {} : { duration }) });
        return { structured: { token_file, fingerprint } };
      } catch (error) {
        throw isDeviceError(error) ? new ToolError(error.message, { cause: error }) : error;
      }
    },
  };
}
