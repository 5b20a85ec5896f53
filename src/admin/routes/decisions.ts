import { httpError } from "../http-error.ts";
import { parseCursor } from "../decision-cursor.ts";
import { readDecisions } from "../decisions.ts";
import type { DecisionPage } from "../decisions.ts";
import type { AdminCore } from "../core.ts";
import type { Route, RouteCall } from "../route.ts";
import { decisionPageSchema, decisionQuerySchema } from "../schemas/decisions.ts";

const DEFAULT_LIMIT = 50;

async function list({ query }: RouteCall, { stateDir }: AdminCore): Promise<DecisionPage> {
  const { allowed, limit, cursor: given, ...filters } = query;
  const cursor = given === undefined ? undefined : parseCursor(given);
  if (given !== undefined && cursor === undefined) throw httpError(400, "cursor: this is none that was given out");
  return await readDecisions(stateDir, {
    ...filters,
    allowed: allowed === undefined ? undefined : allowed === "true",
    limit: limit === undefined ? DEFAULT_LIMIT : Number(limit),
    cursor,
  });
}

/** The decision log of all sessions. */
export const DECISION_ROUTES: readonly Route[] = [
  {
    method: "GET",
    path: "/v1/decisions",
    id: "listDecisions",
    summary: "decisions of all sessions, the newest first, redacted, each with what its code means",
    query: decisionQuerySchema,
    answer: decisionPageSchema,
    run: list,
  },
];
