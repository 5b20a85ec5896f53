import { randomUUID } from "node:crypto";
import type { HttpBindings } from "@hono/node-server";
import { Hono } from "hono";
import type { Context } from "hono";
import { authenticate } from "./authenticate.ts";
import type { AdminCore } from "./core.ts";
import type { EventHub } from "./events.ts";
import { streamEvents } from "./event-stream.ts";
import type { SiteGuard } from "./guards.ts";
import { setSecurityHeaders } from "./headers.ts";
import { httpError, toHttpError } from "./http-error.ts";
import type { Limiter, RateLimits } from "./limits.ts";
import { openApiDocument } from "./openapi.ts";
import type { PageFile } from "./page-files.ts";
import type { Approver } from "./ports.ts";
import { answerRoute } from "./answer-route.ts";
import { ROUTES } from "./routes/table.ts";

/** What a request carries through the server. */
export interface AdminEnv {
  Bindings: HttpBindings;
  Variables: { requestId: string; key: Approver | undefined; route: string };
}

/** One line of the request log: no token, no body, no query. */
export interface RequestLine {
  readonly time: string;
  readonly request_id: string;
  readonly key: string | null;
  readonly method: string;
  /** The route's pattern, never the path as it was asked. */
  readonly route: string;
  readonly status: number;
  readonly duration_ms: number;
}

/** What the HTTP application is made of. */
export interface AppOptions {
  readonly core: AdminCore;
  readonly hub: EventHub;
  readonly guard: SiteGuard;
  readonly limiter: Limiter;
  readonly page: ReadonlyMap<string, PageFile>;
  /** Takes one line for each answered request. */
  readonly log: (line: RequestLine) => void;
  /** Told of faults of our own. */
  readonly report: (problem: unknown) => void;
  /** Aborted when the server ends: open streams end with it. */
  readonly stop: AbortSignal;
}

/** Methods that a request log and a metric may hold. */
const METHODS = new Set(["GET", "POST", "HEAD", "PUT", "DELETE", "PATCH", "OPTIONS"]);

/**
 * The admin server's HTTP application (issue 6; reference/governed-tools.md §9.2): every request has an id, is logged and counted; one
 * that does not come from this server's own site goes no further; the API needs a key.
 */
export function createApp(options: AppOptions): Hono<AdminEnv> {
  const { core, page, report } = options;
  const app = new Hono<AdminEnv>();
  const document = openApiDocument(ROUTES, core.version);
  app.use(async (context, next) => {
    context.set("requestId", randomUUID());
    context.set("route", "(none)");
    const started = performance.now();
    setSecurityHeaders(context);
    await next();
    note(context, options, (performance.now() - started) / 1_000);
  });
  app.use(async (context, next) => {
    const { headers } = context.env.incoming;
    if (!options.guard.allows(headers.host, headers.origin)) throw httpError(403, "forbidden: this host or origin is not this server's");
    await admit(context, options);
    await next();
  });
  app.get("/healthz", (context) => {
    context.set("route", "/healthz");
    return context.json({ ok: true });
  });
  for (const route of ROUTES) {
    const path = route.path.replaceAll(/\{(\w+)\}/g, ":$1");
    app.on(route.method, path, async (context) => {
      context.set("route", route.path);
      return await answerRoute(route, { context, key: needKey(context), core });
    });
  }
  app.get("/openapi.json", (context) => named(context, "/openapi.json", () => context.json(document)));
  app.get("/metrics", (context) =>
    named(context, "/metrics", async () => {
      const text = await core.metrics.text(await gaugesOf(options));
      return context.body(text, 200, { "content-type": core.metrics.contentType });
    }),
  );
  app.get("/v1/events", (context) => named(context, "/v1/events", (key) => streamEvents(context, { ...options, key })));
  for (const [path, file] of page) app.get(path, (context) => sendFile(context, path, file));
  app.notFound((context) => failed(context, httpError(404, "not found")));
  app.onError((error, context) => {
    const problem = toHttpError(error);
    if (problem.status >= 500) report(error);
    return failed(context, problem);
  });
  return app;
}

async function named(
  context: Context<AdminEnv>,
  route: string,
  answer: (key: Approver) => Response | Promise<Response>,
): Promise<Response> {
  context.set("route", route);
  return await answer(needKey(context));
}

/** Finds out whose request it is, and whether it is one too many. */
async function admit(context: Context<AdminEnv>, { core, limiter }: AppOptions): Promise<void> {
  const { authorization } = context.env.incoming.headers;
  const address = context.env.incoming.socket.remoteAddress ?? "unknown";
  const key = authorization === undefined ? undefined : authenticate(core.stateDir, authorization);
  context.set("key", key);
  if (key !== undefined) return await count(context, limiter, ["perKey", key.name]);
  if (authorization !== undefined) await count(context, limiter, ["failures", address]);
  return await count(context, limiter, ["perAddress", address]);
}

async function count(context: Context<AdminEnv>, limiter: Limiter, [kind, who]: [keyof RateLimits, string]): Promise<void> {
  const wait = await limiter.take(kind, who);
  if (wait === undefined) return;
  context.header("retry-after", String(wait));
  throw httpError(429, "too many requests");
}

function needKey(context: Context<AdminEnv>): Approver {
  const key = context.get("key");
  if (key === undefined) throw httpError(401, "unauthorized");
  return key;
}

function failed(context: Context<AdminEnv>, { status, message, code }: ReturnType<typeof httpError>): Response {
  if (status === 401) context.header("www-authenticate", "Bearer");
  return context.json({ error: message, ...(code === undefined ? {} : { code }) }, status);
}

function sendFile(context: Context<AdminEnv>, path: string, { body, type, immutable }: PageFile): Response {
  context.set("route", path === "/" ? "/" : "/assets");
  context.header("cache-control", immutable ? "public, max-age=31536000, immutable" : "no-cache");
  return context.body(body, 200, { "content-type": type });
}

function note(context: Context<AdminEnv>, { core, log }: AppOptions, seconds: number): void {
  const method = METHODS.has(context.req.method) ? context.req.method : "other";
  const [route, { status }] = [context.get("route"), context.res];
  core.metrics.answered({ route, method, status, seconds });
  log({
    time: core.now().toISOString(),
    request_id: context.get("requestId"),
    key: context.get("key")?.name ?? null,
    method,
    route,
    status,
    duration_ms: Math.round(seconds * 1e6) / 1e3,
  });
}

async function gaugesOf({ core, hub }: AppOptions): Promise<Parameters<AdminCore["metrics"]["text"]>[0]> {
  const approvals = new Map<string, number>();
  for (const { state } of await core.ports.approvals.list()) approvals.set(state, (approvals.get(state) ?? 0) + 1);
  return { sessions: core.sessions.list().length, approvals, stops: core.ports.stops.list().stops.length, streams: hub.listeners() };
}
