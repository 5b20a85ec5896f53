import type { z } from "zod";
import type { AdminCore } from "./core.ts";
import type { Approver } from "./ports.ts";

/** What a route's handler gets: everything is checked against the route's schemas. */
export interface RouteCall {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body: unknown;
  /** Whose request it is. */
  readonly key: Approver;
}

/** One operation of the API as data: the server and its OpenAPI document are made from the same table. */
export interface Route {
  readonly method: "GET" | "POST";
  /** As OpenAPI writes it: `/v1/approvals/{id}`. */
  readonly path: string;
  readonly id: string;
  readonly summary: string;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /** Answer of status 200. */
  readonly answer: z.ZodType;
  /** Statuses of errors beside 400, 401, 403, 429 and 500. */
  readonly errors?: readonly (404 | 409 | 503)[];
  readonly run: (call: RouteCall, core: AdminCore) => unknown;
}
