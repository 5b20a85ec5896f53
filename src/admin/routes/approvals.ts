import type { z } from "zod";
import { httpError } from "../http-error.ts";
import type { AdminCore } from "../core.ts";
import type { Approval } from "../ports.ts";
import type { Route, RouteCall } from "../route.ts";
import { approvalListSchema, approvalParamsSchema, approvalQuerySchema, approvalSchema, voteSchema } from "../schemas/approvals.ts";

const DEFAULT_LIMIT = 100;

async function list({ query }: RouteCall, { ports }: AdminCore): Promise<z.infer<typeof approvalListSchema>> {
  const { state, session, limit } = query;
  const all = await ports.approvals.list();
  const matching = all
    .filter((approval) => (state === undefined || approval.state === state) && (session === undefined || approval.session_id === session))
    .toSorted((a, b) => (a.created_at < b.created_at ? 1 : -1));
  return { approvals: matching.slice(0, limit === undefined ? DEFAULT_LIMIT : Number(limit)), total: matching.length };
}

async function read({ params }: RouteCall, { ports }: AdminCore): Promise<Approval> {
  const approval = await ports.approvals.read(params["id"] ?? "");
  if (approval === undefined) throw httpError(404, "not found");
  return approval;
}

/** A vote counts only for the text that the approver saw (trial P09): anything else is a conflict. */
function vote(decision: "approve" | "deny"): Route["run"] {
  return async (call, core) => {
    const { reason, shown } = call.body as z.infer<typeof voteSchema>;
    const approval = await read(call, core);
    if (approval.shown.digest !== shown)
      throw httpError(409, "the request is not what you were shown: look at it again", "admin.shown_differs");
    if (decision === "deny" && reason.trim() === "") throw httpError(400, "reason: a denial needs one");
    const decided = await core.ports.approvals.decide({ id: approval.id, decision, reason, key: call.key, shown });
    core.metrics.decided(decision);
    return decided;
  };
}

/** Requests for approvals: look, approve, deny. */
export const APPROVAL_ROUTES: readonly Route[] = [
  {
    method: "GET",
    path: "/v1/approvals",
    id: "listApprovals",
    summary: "requests for an approval, the newest first",
    query: approvalQuerySchema,
    answer: approvalListSchema,
    errors: [503],
    run: list,
  },
  {
    method: "GET",
    path: "/v1/approvals/{id}",
    id: "readApproval",
    summary: "one request",
    params: approvalParamsSchema,
    answer: approvalSchema,
    errors: [404, 503],
    run: read,
  },
  ...(["approve", "deny"] as const).map((decision): Route => ({
    method: "POST",
    path: `/v1/approvals/{id}/${decision}`,
    id: `${decision}Approval`,
    summary: `${decision} a request: a vote signed with the key of the bearer`,
    params: approvalParamsSchema,
    body: voteSchema,
    answer: approvalSchema,
    errors: [404, 409, 503],
    run: vote(decision),
  })),
];
