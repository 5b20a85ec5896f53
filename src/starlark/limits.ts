/** What an operator may set; the ceilings are those of the settings (src/config/settings.ts; reference: starlark, limits). */
export interface StarlarkLimits {
  /** Steps of the interpreter; one is about a tenth of a microsecond. */
  readonly steps: number;
  /** Wall clock of one evaluation in milliseconds, all host calls included. */
  readonly timeMs: number;
  /** Largest memory of the interpreter in MiB. */
  readonly memoryMb: number;
  /** Bytes of printed text that are kept. */
  readonly outputBytes: number;
}

/** The limits that nobody sets. */
export const FIXED_LIMITS = Object.freeze({
  /** Bytes of source as UTF-8. */
  sourceBytes: 65_536,
  /** Brackets open at once in the source: the parser recurses. */
  nesting: 200,
  hostCalls: 32,
  /** Bytes of one request to the host, and of one reply. */
  requestBytes: 65_536,
  replyBytes: 65_536,
  resultBytes: 65_536,
  resultDepth: 20,
  resultNodes: 10_000,
  /** Evaluations at work at once, and waiting for their turn. */
  running: 4,
  waiting: 64,
});
