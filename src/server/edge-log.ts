/** Tells the operator what the edge refused or dropped, without letting a client fill the log: one line a kind, totals at the end. */
export interface EdgeLog {
  /** Counts one line of the client; `kind` is a fixed text, never user text. */
  count(kind: string): void;
  /** A fault of ours. */
  fault(error: unknown): void;
  /** Writes the totals of all kinds that came more than once. */
  close(): void;
}

/**
 * A counting log of one connection (reference/mcp.md §6.1, invariant 2: dropped requests are audited).
 * @param write takes one line without LF and without the name of the program, for stderr
 */
export function createEdgeLog(write: (line: string) => void): EdgeLog {
  const counts = new Map<string, number>();
  const count = (kind: string, detail = ""): void => {
    const seen = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, seen);
    if (seen === 1) write(`protocol: ${kind}${detail}`);
  };
  return {
    count: (kind) => count(kind),
    fault: (error) =>
      count("fault", `: ${error instanceof Error ? error.message : String(error)}`.replaceAll(/[\r\n]+/g, " ").slice(0, 300)),
    close() {
      for (const [kind, seen] of counts) if (seen > 1) write(`protocol: ${kind}: ${seen} in all`);
    },
  };
}
