import type { Route } from "../route.ts";
import { APPROVAL_ROUTES } from "./approvals.ts";
import { DECISION_ROUTES } from "./decisions.ts";
import { EXPLAIN_ROUTES } from "./explain.ts";
import { SESSION_ROUTES } from "./sessions.ts";
import { STORE_ROUTES } from "./stores.ts";

/** Every operation of the API that answers with one JSON document. */
export const ROUTES: readonly Route[] = [...APPROVAL_ROUTES, ...DECISION_ROUTES, ...SESSION_ROUTES, ...EXPLAIN_ROUTES, ...STORE_ROUTES];
