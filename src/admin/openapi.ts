import { z } from "zod";
import type { JsonObject } from "../call/json.ts";
import type { Route } from "./route.ts";

const errorSchema = z
  .object({ error: z.string(), code: z.string().optional() })
  .meta({ id: "Error", description: "`error` is one line for a human, `code` is stable" });

const OUTCOMES: Readonly<Record<number, string>> = {
  400: "the request is not what the route takes",
  401: "no key, or none that is on record: the same answer for every cause",
  403: "forbidden: another site, an agent's process, or a key that may not decide this",
  404: "not found",
  409: "a conflict: decided already, or not what was shown",
  413: "the body is larger than 1 MiB",
  429: "too many requests",
  500: "a fault of Regate",
  503: "a store cannot be read or written",
};

/** Names under which schemas stand in the document. */
const NAMED = "#/components/schemas/";

/** Schemas that have an id go into one place, and others refer to them. */
interface Collected {
  readonly schemas: Map<string, JsonObject>;
  readonly use: (schema: z.ZodType, io?: "input" | "output") => JsonObject;
}

/** JSON Schema 2020-12, which is that of OpenAPI 3.1. */
function collector(): Collected {
  const schemas = new Map<string, JsonObject>();
  return {
    schemas,
    use(schema, io = "output") {
      const { $schema: _version, $defs = {}, ...own } = z.toJSONSchema(schema, { io, reused: "inline" }) as JsonObject;
      const text = (value: unknown): string => JSON.stringify(value).replaceAll('"#/$defs/', `"${NAMED}`);
      for (const [name, part] of Object.entries($defs as JsonObject)) schemas.set(name, withoutId(JSON.parse(text(part)) as JsonObject));
      return JSON.parse(text(own)) as JsonObject;
    },
  };
}

function withoutId({ id: _id, ...schema }: JsonObject): JsonObject {
  return schema;
}

function parametersOf(schema: z.ZodObject | undefined, where: "path" | "query", use: Collected["use"]): JsonObject[] {
  return Object.entries(schema?.shape ?? {}).map(([name, field]) => ({
    name,
    in: where,
    required: where === "path" || !(field as z.ZodType).safeParse(undefined).success,
    schema: use(field as z.ZodType, "input"),
  }));
}

function json(schema: JsonObject): JsonObject {
  return { content: { "application/json": { schema } } };
}

function failuresOf(statuses: readonly number[], use: Collected["use"]): JsonObject {
  return Object.fromEntries(statuses.map((status) => [status, { description: OUTCOMES[status] ?? "", ...json(use(errorSchema)) }]));
}

function operationOf(route: Route, { use }: Collected): JsonObject {
  const failures = [400, 401, 403, ...(route.body === undefined ? [] : [413]), ...(route.errors ?? []), 429, 500];
  const responses: JsonObject = { 200: { description: "done", ...json(use(route.answer)) }, ...failuresOf(failures, use) };
  const parameters = [...parametersOf(route.params, "path", use), ...parametersOf(route.query, "query", use)];
  return {
    operationId: route.id,
    summary: route.summary,
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(route.body === undefined ? {} : { requestBody: { required: true, ...json(use(route.body, "input")) } }),
    responses,
  };
}

/** What the routes that do not answer with one JSON document look like. */
function otherPaths({ use }: Collected): JsonObject {
  const plain = (id: string, summary: string, type: string): JsonObject => ({
    get: {
      operationId: id,
      summary,
      responses: {
        200: { description: "done", content: { [type]: { schema: { type: "string" } } } },
        ...failuresOf([401, 403, 429, 500], use),
      },
    },
  });
  const healthy: JsonObject = { type: "object", properties: { ok: { const: true } }, required: ["ok"], additionalProperties: false };
  return {
    "/healthz": {
      get: {
        operationId: "health",
        summary: "whether the server answers; needs no key",
        security: [],
        responses: { 200: { description: "it does", ...json(healthy) }, ...failuresOf([403, 429], use) },
      },
    },
    "/v1/events": plain("watchEvents", "what happens, as server-sent events: `approvals`, `sessions`, `stops`", "text/event-stream"),
    "/metrics": plain("readMetrics", "counters for Prometheus", "text/plain"),
  };
}

/** The OpenAPI 3.1 document of a table of routes. */
export function openApiDocument(routes: readonly Route[], version: string): JsonObject {
  const collected = collector();
  const paths: Record<string, JsonObject> = otherPaths(collected) as Record<string, JsonObject>;
  for (const route of routes) paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operationOf(route, collected) };
  return {
    openapi: "3.1.0",
    info: { title: "Regate admin API", version, description: "Humans look, approve, deny and stop; every request names its key." },
    servers: [{ url: "/" }],
    security: [{ key: [] }],
    paths,
    components: {
      schemas: Object.fromEntries([...collected.schemas].toSorted(([a], [b]) => (a < b ? -1 : 1))),
      securitySchemes: { key: { type: "http", scheme: "bearer", description: "the token in the key file of `regate keys create`" } },
    },
  };
}
