/** The last lines of a server's stderr. */
export interface StderrTail {
  readonly add: (line: string) => void;
  /** What is repeated when the server is gone: bounded, redacted, on one line; empty when it wrote nothing. */
  text(redact: (text: string) => string): string;
}

const MAX_LINES = 5;
const MAX_LENGTH = 160;

/** Keeps a bounded tail: stderr is drained always and repeated at most so far (reference/gateway.md, Pumping). */
export function createStderrTail(): StderrTail {
  const lines: string[] = [];
  return {
    add: (line) => {
      lines.push(line.slice(0, MAX_LENGTH));
      if (lines.length > MAX_LINES) lines.shift();
    },
    text(redact) {
      const text = lines.filter((line) => line.trim() !== "").map((line) => redact(line.replaceAll(/[^\P{C}\t]/gu, "?")).trim());
      return text.length === 0 ? "" : ` (stderr: ${text.join(" | ")})`;
    },
  };
}
