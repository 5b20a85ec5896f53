import type { z } from "zod";
import { visible } from "../../call/visible.ts";
import type { AdminCore } from "../core.ts";
import type { Session } from "../ports.ts";
import type { Route, RouteCall } from "../route.ts";
import type { KnownSession } from "../session-book.ts";
import { sessionListSchema } from "../schemas/sessions.ts";
import type { stopSchema } from "../schemas/stores.ts";

type Stop = z.infer<typeof stopSchema>;

/** Whether a stop holds for a session. */
function holds({ scope }: Stop, session: { readonly session_id: string; readonly agent_id: string }): boolean {
  if ("all" in scope) return true;
  return "session" in scope ? scope.session === session.session_id : scope.agent === session.agent_id;
}

function list(_call: RouteCall, { sessions, ports }: AdminCore): { sessions: Session[] } {
  const { stops: placed, broken } = ports.stops.list();
  // A chain that does not hold stops everybody (design §8).
  const everybody: Stop = { scope: { all: true }, reason: broken ?? "", key: null, at: "", end_running: false };
  const stops = broken === null ? placed : [everybody];
  return {
    sessions: sessions.list().map((session) =>
      Object.assign({}, session, shownTexts(session), {
        stopped: stops.find((stop) => holds(stop, session)) ?? null,
      }),
    ),
  };
}

/** What others wrote, with visible escapes (trial P09). */
function shownTexts({ agent_id: agent, user, client, workdir }: KnownSession): Partial<KnownSession> {
  return {
    agent_id: visible(agent),
    user: visible(user),
    client: client === null ? null : { name: visible(client.name), version: visible(client.version) },
    workdir: workdir === null ? null : visible(workdir),
  };
}

/** Sessions of the servers that run on this state directory. */
export const SESSION_ROUTES: readonly Route[] = [
  {
    method: "GET",
    path: "/v1/sessions",
    id: "listSessions",
    summary: "sessions of the servers that run, as each tells of itself",
    answer: sessionListSchema,
    errors: [503],
    run: list,
  },
];
