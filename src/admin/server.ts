import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createAdaptorServer } from "@hono/node-server";
import { createApp } from "./app.ts";
import type { RequestLine } from "./app.ts";
import type { AdminCore } from "./core.ts";
import { createEventHub } from "./events.ts";
import { createSiteGuard } from "./guards.ts";
import { createLimiter } from "./limits.ts";
import type { RateLimits } from "./limits.ts";
import { createMetrics } from "./metrics.ts";
import { readPage } from "./page-files.ts";
import type { AdminPorts, Approval } from "./ports.ts";
import { openSessionBook } from "./session-book.ts";
import { watchStores } from "./watch-stores.ts";
import { createWebhook } from "./webhook.ts";
import type { Webhook, WebhookOptions } from "./webhook.ts";

/** What the admin server is started with. */
export interface AdminServerOptions {
  readonly stateDir: string;
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly publicUrl?: string | undefined;
  readonly ports: AdminPorts;
  readonly version: string;
  readonly limits?: RateLimits | undefined;
  readonly log: (line: RequestLine) => void;
  /** Takes one line for stderr. */
  readonly note: (line: string) => void;
  readonly webhook?: Pick<WebhookOptions, "url" | "secret" | "firstWaitMs"> | undefined;
  readonly now?: (() => Date) | undefined;
  /** Ends the server. */
  readonly stop: AbortSignal;
}

/** An admin server that runs. */
export interface AdminServer {
  /** How this machine reaches it. */
  readonly url: string;
  readonly core: AdminCore;
  /** Resolves when the stop has ended it. */
  readonly ended: Promise<void>;
}

const TIMEOUTS = { headersTimeout: 5_000, requestTimeout: 30_000, connectionsCheckingInterval: 1_000 };
const SHUTDOWN_MS = 1_000;
const TIDY_MS = 50;
const MAX_CONNECTIONS = 1_024;

/**
 * Starts the admin server: API, page, and the socket of the sessions (issue 6).
 * @throws Error when it cannot listen
 */
export async function startAdminServer(options: AdminServerOptions): Promise<AdminServer> {
  const { stateDir, host, ports, version, note, stop } = options;
  const before = options.webhook === undefined ? undefined : await ports.approvals.list();
  const hub = createEventHub();
  const sessions = await openSessionBook(stateDir, () => hub.emit({ name: "sessions", data: {} }));
  const core: AdminCore = { stateDir, ports, sessions, version, metrics: createMetrics(), now: options.now ?? ((): Date => new Date()) };
  const report = (problem: unknown): void => note(`admin: ${problem instanceof Error ? problem.message : String(problem)}`);
  // The port is known only when it is taken: until then nobody is let in.
  let guard = createSiteGuard({ host, port: options.port, publicUrl: options.publicUrl });
  const app = createApp({
    core,
    hub,
    guard: { allows: (name, origin) => guard.allows(name, origin) },
    limiter: createLimiter(options.limits),
    page: readPage(),
    log: options.log,
    report,
    stop,
  });
  const server = createAdaptorServer({ fetch: app.fetch, serverOptions: TIMEOUTS }) as Server;
  server.maxConnections = MAX_CONNECTIONS;
  try {
    await listen(server, host, options.port);
  } catch (error) {
    await sessions.close();
    throw error;
  }
  const { port } = server.address() as AddressInfo;
  guard = createSiteGuard({ host, port, publicUrl: options.publicUrl });
  const url = `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
  const webhook = openWebhook(core, options, { pageUrl: options.publicUrl ?? url, before });
  const endWatch = watchStores(core, { hub, report, onApproval: webhook?.tell, before });
  const ended = untilStopped(stop, async () => {
    endWatch();
    await Promise.all([closeServer(server), sessions.close()]);
  });
  return { url, core, ended };
}

/** The webhook, having told what happened while no server ran. */
function openWebhook(
  { stateDir, metrics, now }: AdminCore,
  { webhook, note, stop }: AdminServerOptions,
  { pageUrl, before }: { readonly pageUrl: string; readonly before: readonly Approval[] | undefined },
): Webhook | undefined {
  if (webhook === undefined) return undefined;
  const opened = createWebhook({ ...webhook, stateDir, pageUrl, metrics, now, note, stop });
  opened.catchUp(before ?? []);
  return opened;
}

async function listen(server: Server, host: string, port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(port, host, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

async function untilStopped(stop: AbortSignal, close: () => Promise<void>): Promise<void> {
  if (!stop.aborted) await new Promise((resolve) => stop.addEventListener("abort", resolve, { once: true }));
  await close();
}

/** Answers what was asked, for a second; then hangs up. */
async function closeServer(server: Server): Promise<void> {
  await new Promise<void>((resolve) => {
    const hangUp = setTimeout(() => server.closeAllConnections(), SHUTDOWN_MS);
    // A connection becomes idle when its stream has ended, which the server itself does not look for.
    const tidy = setInterval(() => server.closeIdleConnections(), TIDY_MS);
    server.close(() => {
      clearTimeout(hangUp);
      clearInterval(tidy);
      resolve();
    });
  });
}
