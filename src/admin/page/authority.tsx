import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { clock, localTime, secondsUntil, shortSession } from "./format.ts";
import { elevations, leases, load, now, stops } from "./store.ts";
import { StopDialog } from "./stop-dialog.tsx";
import type { Order } from "./stop-dialog.tsx";
import { Table } from "./table.tsx";
import type { Stop } from "./types.ts";

/** Whom something is about, in words. */
function scopeText(scope: Stop["scope"]): string {
  if ("all" in scope) return "everything";
  return "session" in scope ? `session ${shortSession(scope.session)}` : `agent ${scope.agent}`;
}

function StopTable({ onOrder }: { readonly onOrder: (order: Order) => void }): JSX.Element {
  return (
    <Table
      label="Stops in force"
      empty="Nothing is stopped."
      head={["what", "reason", "by", "since", ""]}
      rows={stops.value.stops.map(({ scope, reason, key, at }) => [
        scopeText(scope),
        reason,
        key ?? "policy",
        localTime(at),
        <button
          key="resume"
          type="button"
          aria-label={`Resume ${scopeText(scope)}`}
          onClick={() => onOrder({ action: "resume", scope, agent: undefined, label: scopeText(scope) })}
        >
          Resume…
        </button>,
      ])}
    />
  );
}

function Elevations(): JSX.Element {
  const { chain, active } = elevations.value ?? { chain: { state: "missing", reason: null }, active: [] };
  return (
    <>
      {chain.state === "broken" && (
        <p class="banner bad" role="alert">
          The chain of elevations does not hold, so none is in force: {chain.reason}
        </p>
      )}
      <Table
        label="Elevations in force"
        empty="No elevation is in force."
        head={["role", "tools", "for", "reason", "by", "left"]}
        rows={active.map(({ role, tools, session, agent, reason, granted_by, expires_at, uses_left }) => [
          role,
          tools.join(", "),
          session === null ? `agent ${agent ?? ""}` : `session ${shortSession(session)}`,
          reason,
          granted_by,
          `${clock(secondsUntil(expires_at, now.value))}${uses_left === null ? "" : `, ${uses_left} uses`}`,
        ])}
      />
    </>
  );
}

function Leases(): JSX.Element {
  return (
    <Table
      label="Leases"
      empty="No secret is leased."
      head={["variable", "source", "session", "reason", "by", "state"]}
      rows={leases.value.map(({ destination, source_type, source_name, session, reason, granted_by, expires_at, state }) => [
        destination,
        `${source_type}: ${source_name}`,
        shortSession(session),
        reason,
        granted_by,
        state === "active" ? `${clock(secondsUntil(expires_at, now.value))} left` : state,
      ])}
    />
  );
}

/** What humans have stopped, granted and lent. */
export function Authority(): JSX.Element {
  const [order, setOrder] = useState<Order | undefined>(undefined);
  useEffect(() => {
    void load("authority");
    const timer = setInterval(() => void load("authority"), 5_000);
    return () => clearInterval(timer);
  }, []);
  return (
    <>
      <h2>Stops</h2>
      <StopTable onOrder={setOrder} />
      <h2>Elevations</h2>
      <Elevations />
      <h2>Leases</h2>
      <Leases />
      <p class="hint">
        Elevations and leases are granted on the command line: <code>regate elevation grant</code>, <code>regate lease grant</code>.
      </p>
      <StopDialog order={order} onClose={() => setOrder(undefined)} />
    </>
  );
}
