import { z } from "zod";
import type { Tool } from "./tool.ts";

/**
 * identity_status (seed 003; design §7): exactly `{session_id, user, principals}` of the session as this call found it; no token and no
 * elevation.
 */
export function identityStatusTool(): Tool {
  return {
    name: "identity_status",
    title: "Show the session's identity",
    description: "Shows the id of this session, its user and the user's principals.",
    input: z.strictObject({}),
    output: z.strictObject({ session_id: z.string(), user: z.string(), principals: z.array(z.string()) }),
    timeoutMs: 10_000,
    handler(_args, { session }) {
      const { claim, user, groups } = session;
      return Promise.resolve({ structured: { session_id: claim.sessionId, user, principals: [...groups] } });
    },
  };
}
