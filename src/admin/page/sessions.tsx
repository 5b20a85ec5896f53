import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { ago, localTime, plural } from "./format.ts";
import { now, sessions, stops } from "./store.ts";
import { StopDialog } from "./stop-dialog.tsx";
import type { Order } from "./stop-dialog.tsx";
import type { Session } from "./types.ts";

function Identity({ session }: { readonly session: Session }): JSX.Element {
  const { confirmed, confirmed_profile: profile } = session.identity;
  if (!confirmed) return <span class="badge warn">identity not confirmed</span>;
  return <span class="badge yes">identity confirmed{profile === null ? "" : `: ${profile}`}</span>;
}

function Numbers({ usage }: Pick<Session, "usage">): JSX.Element {
  const rows: readonly (readonly [string, number])[] = [
    ["calls", usage.calls],
    ["refused", usage.denied],
    ["running", usage.running],
    ["last minute", usage.calls_last_minute],
  ];
  return (
    <dl class="numbers">
      {rows.map(([name, count]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{count}</dd>
        </div>
      ))}
    </dl>
  );
}

interface CardProps {
  readonly session: Session;
  readonly onOrder: (order: Order) => void;
}

function SessionCard({ session, onOrder }: CardProps): JSX.Element {
  const { session_id: id, agent_id, user, client, started_at, active_profile, usage, workdir, bundle, pid, stopped } = session;
  const isOwn = stopped !== null && "session" in stopped.scope;
  return (
    <article class={stopped === null ? "session" : "session stopped"} aria-labelledby={`session-${id}`}>
      <div class="session-head">
        <h2 id={`session-${id}`}>{agent_id}</h2>
        {stopped !== null && <span class="badge no">stopped</span>}
        <Identity session={session} />
        <button
          type="button"
          role="switch"
          aria-checked={stopped === null}
          class="switch"
          aria-label={`Session of ${agent_id} may act`}
          disabled={stopped !== null && !isOwn}
          title={stopped !== null && !isOwn ? "resume it under Stops and grants" : undefined}
          onClick={() =>
            onOrder({
              action: stopped === null ? "stop" : "resume",
              scope: { session: id },
              agent: agent_id,
              label: `the session of ${agent_id}`,
            })
          }
        >
          <span class="knob" aria-hidden="true" />
          <span>{stopped === null ? "running" : "stopped"}</span>
        </button>
      </div>
      {stopped !== null && (
        <p class="stop-reason">
          {stopped.reason}
          {stopped.key !== null && <span class="of"> by {stopped.key}</span>}
        </p>
      )}
      <Numbers usage={usage} />
      <p class="sub">
        {user}
        {client !== null && `, ${client.name} ${client.version}`}, profile {active_profile ?? "none"}, bundle {bundle ?? "none"}, process{" "}
        {pid}, <span title={localTime(started_at)}>started {ago(started_at, now.value)}</span>
      </p>
      <p class="sub mono">
        {id}
        {workdir !== null && ` in ${workdir}`}
      </p>
    </article>
  );
}

/** The sessions that run, with their identity state and a switch for each. */
export function Sessions(): JSX.Element {
  const [order, setOrder] = useState<Order | undefined>(undefined);
  const all = stops.value.stops.some(({ scope }) => "all" in scope);
  const list = sessions.value;
  return (
    <>
      <div class="bar">
        <p class="sub">{plural(list.length, "session")} on this state directory</p>
        <button
          type="button"
          class={all ? "" : "deny"}
          onClick={() => setOrder({ action: all ? "resume" : "stop", scope: { all: true }, agent: undefined, label: "everything" })}
        >
          {all ? "Resume everything…" : "Stop everything…"}
        </button>
      </div>
      {list.length === 0 && <p class="empty">No server runs.</p>}
      <div class="sessions">
        {list.map((session) => (
          <SessionCard key={session.session_id} session={session} onOrder={setOrder} />
        ))}
      </div>
      <StopDialog order={order} onClose={() => setOrder(undefined)} />
    </>
  );
}
