import type { AdminMetrics } from "./metrics.ts";
import type { AdminPorts } from "./ports.ts";
import type { SessionBook } from "./session-book.ts";

/** The parts that the routes share. */
export interface AdminCore {
  readonly stateDir: string;
  readonly ports: AdminPorts;
  readonly sessions: SessionBook;
  readonly metrics: AdminMetrics;
  readonly now: () => Date;
  readonly version: string;
}
