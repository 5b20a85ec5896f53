import { z } from "zod";
import type { Tool } from "./tool.ts";

/** Which lines of the decision log are wanted. */
export interface LogQuery {
  readonly limit: number;
  readonly filter?: string;
  /** Bytes of all lines together. */
  readonly maxBytes: number;
}

/** Lines of the log, oldest first, redacted. */
export interface LogLines {
  readonly lines: readonly string[];
  /** Whether lines were left out because of `maxBytes`. */
  readonly truncated: boolean;
}

/** What audit_log needs: the newest matching lines of this session's decision log. */
export interface AuditLogPorts {
  readonly readLog: (query: LogQuery) => Promise<LogLines>;
}

/** The answer holds each line twice, and escaping can double a line: this stays below 2 MB (design §7). */
const MAX_BYTES = 480_000;

const input = z.strictObject({
  limit: z
    .int("limit must be a whole number")
    .min(1, "limit must be greater than zero")
    .max(10_000, "limit must not exceed 10000")
    .default(50)
    .describe("at most this many lines, the newest"),
  filter: z.string().optional().describe("plain, case-sensitive text that a line must hold"),
});

/**
 * audit_log (design §7): `{limit? 1..10000 = 50, filter?}` → the matching lines of this session's decision log, oldest first, redacted. The
 * call itself is among them: its decision was written before this runs.
 */
export function auditLogTool({ readLog }: AuditLogPorts): Tool {
  return {
    name: "audit_log",
    title: "Read the audit log",
    description: "Returns the newest lines of this session's decision log, oldest first: one JSON event a line, secrets erased.",
    input,
    output: z.strictObject({ lines: z.array(z.string()), truncated: z.boolean() }),
    timeoutMs: 30_000,
    async handler(args) {
      const { limit = 50, filter } = args as z.input<typeof input>;
      const { lines, truncated } = await readLog({ limit, maxBytes: MAX_BYTES, ...(filter === undefined ? {} : { filter }) });
      return { structured: { lines: [...lines], truncated }, text: lines.length === 0 ? "(no audit log entries)" : lines.join("\n") };
    },
  };
}
