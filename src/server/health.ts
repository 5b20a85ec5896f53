import { createServer, type ServerResponse } from "node:http";
import type { CallStore } from "../delegate/store.ts";
import type { RunningWorker } from "../delegate/worker.ts";

/** A health endpoint that is open. */
export interface Health {
  close(): Promise<void>;
}

/** What is watched. */
export interface Watched {
  readonly worker: RunningWorker;
  readonly calls: CallStore;
}

/**
 * Opens /healthz (the process answers), /readyz (the store was reached and nothing is stopping) and /metrics (Prometheus text) on a
 * loopback port.
 * @param watched undefined until the worker has been started: a port that is taken must be known before the first call is claimed
 * @throws when the port cannot be listened on
 */
export async function openHealth(port: number, watched: () => Watched | undefined): Promise<Health> {
  const server = createServer((request, response) => {
    void answer(request.url ?? "", response, watched());
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(path: string, response: ServerResponse, watched: Watched | undefined): Promise<void> {
  if (path === "/healthz") return send(response, 200, "ok\n");
  if (watched === undefined) return send(response, 503, "not ready\n");
  const { worker, calls } = watched;
  if (path === "/readyz") return worker.isReady() ? send(response, 200, "ready\n") : send(response, 503, "not ready\n");
  if (path === "/metrics") return send(response, 200, await metrics(worker, calls));
  return send(response, 404, "not found\n");
}

function send(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { "content-type": "text/plain; charset=utf-8" }).end(text);
}

async function metrics(worker: RunningWorker, calls: CallStore): Promise<string> {
  const { counts } = worker;
  const lines = [
    "# TYPE regate_worker_ready gauge",
    `regate_worker_ready ${worker.isReady() ? 1 : 0}`,
    "# TYPE regate_worker_running gauge",
    `regate_worker_running ${counts.running}`,
    "# TYPE regate_worker_entries_total counter",
    ...[...counts.byEnd]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([end, count]) => `regate_worker_entries_total{end="${end}"} ${count}`),
  ];
  try {
    const { calls: waiting, deadLetters } = await calls.depths();
    lines.push("# TYPE regate_calls_in_stream gauge", `regate_calls_in_stream ${waiting}`);
    lines.push("# TYPE regate_dead_letters gauge", `regate_dead_letters ${deadLetters}`);
  } catch {
    // The gauges are absent while the store cannot be read; readiness says so.
  }
  return `${lines.join("\n")}\n`;
}
