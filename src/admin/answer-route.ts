import type { Context } from "hono";
import { bodyLimit } from "hono/body-limit";
import type { z } from "zod";
import { parseJsonOnce } from "../call/duplicate-keys.ts";
import type { AdminEnv } from "./app.ts";
import type { AdminCore } from "./core.ts";
import { httpError } from "./http-error.ts";
import type { Approver } from "./ports.ts";
import type { Route } from "./route.ts";

/** Bytes of the largest body. */
const MAX_BODY = 1_048_576;

interface Asked {
  readonly context: Context<AdminEnv>;
  readonly key: Approver;
  readonly core: AdminCore;
}

const limitBody = bodyLimit({
  maxSize: MAX_BODY,
  onError: () => {
    throw httpError(413, "the body is larger than 1 MiB");
  },
});

/** Checks a request against its route's schemas, runs the route and gives its answer. @throws HttpError, GovernError */
export async function answerRoute(route: Route, { context, key, core }: Asked): Promise<Response> {
  const params = checked(route.params, context.req.param(), 404) as Readonly<Record<string, string>>;
  const query = queryOf(route, context);
  const body = route.body === undefined ? undefined : checked(route.body, await jsonBody(context), 400);
  return context.json((await route.run({ params, query, body, key }, core)) as object);
}

function queryOf(route: Route, context: Context<AdminEnv>): Readonly<Record<string, string>> {
  const given = Object.entries(context.req.queries()).map(([name, values]) => {
    if (values.length > 1) throw httpError(400, `${name}: give it once`);
    return [name, values[0] ?? ""] as const;
  });
  if (route.query === undefined && given.length > 0) throw httpError(400, "this route takes no query");
  return checked(route.query, Object.fromEntries(given), 400) as Readonly<Record<string, string>>;
}

async function jsonBody(context: Context<AdminEnv>): Promise<unknown> {
  await limitBody(context, async () => undefined);
  const parsed = parseJsonOnce(await context.req.text());
  if (!parsed.ok) throw httpError(400, `invalid json: ${parsed.problem}`);
  return parsed.value;
}

function checked(schema: z.ZodType | undefined, value: unknown, status: 400 | 404): unknown {
  if (schema === undefined) return {};
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw httpError(status, status === 404 ? "not found" : [issue?.path.join("."), issue?.message].filter(Boolean).join(": "));
}
