import { Counter, Gauge, Histogram, Registry } from "prom-client";

/** Counters of the admin server. No label holds a name of a session, an agent or a request: their number has no bound. */
export interface AdminMetrics {
  /** Counts an answered request. */
  readonly answered: (request: {
    readonly route: string;
    readonly method: string;
    readonly status: number;
    readonly seconds: number;
  }) => void;
  /** Counts a decision of a human. */
  readonly decided: (decision: "approve" | "deny" | "stop" | "resume") => void;
  /** Counts an attempt of the webhook. */
  readonly hooked: (result: "delivered" | "failed" | "given_up") => void;
  /** Prometheus text, with gauges read now. */
  readonly text: (now: Gauges) => Promise<string>;
  readonly contentType: string;
}

/** What is counted at the moment of the question. */
export interface Gauges {
  readonly sessions: number;
  readonly approvals: ReadonlyMap<string, number>;
  readonly stops: number;
  readonly streams: number;
}

/** Makes the counters of one server; they belong to it and not to the process. */
export function createMetrics(): AdminMetrics {
  const registers = [new Registry()];
  const [registry] = registers as [Registry];
  const requests = new Counter({
    name: "regate_admin_requests_total",
    help: "Answered requests",
    labelNames: ["route", "method", "status"],
    registers,
  });
  const seconds = new Histogram({
    name: "regate_admin_request_seconds",
    help: "Time until the answer",
    labelNames: ["route"],
    buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2],
    registers,
  });
  const decisions = new Counter({ name: "regate_admin_decisions_total", help: "What humans decided", labelNames: ["decision"], registers });
  const hooks = new Counter({ name: "regate_webhook_attempts_total", help: "Attempts of the webhook", labelNames: ["result"], registers });
  const sessions = new Gauge({ name: "regate_sessions", help: "Sessions of servers that run", registers });
  const approvals = new Gauge({ name: "regate_approvals", help: "Requests for an approval", labelNames: ["state"], registers });
  const stops = new Gauge({ name: "regate_stops", help: "Stops in force", registers });
  const streams = new Gauge({ name: "regate_admin_streams", help: "Open event streams", registers });
  return {
    answered({ route, method, status, seconds: took }) {
      requests.inc({ route, method, status: String(status) });
      seconds.observe({ route }, took);
    },
    decided: (decision) => decisions.inc({ decision }),
    hooked: (result) => hooks.inc({ result }),
    async text(now) {
      sessions.set(now.sessions);
      stops.set(now.stops);
      streams.set(now.streams);
      approvals.reset();
      for (const [state, count] of now.approvals) approvals.set({ state }, count);
      return await registry.metrics();
    },
    contentType: registry.contentType,
  };
}
