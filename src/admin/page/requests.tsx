import type { JSX } from "preact";
import { useFocusTaken } from "./focus.ts";
import { groupsOf } from "./groups.ts";
import { RequestGroup } from "./request-group.tsx";
import { pending, pendingTotal } from "./store.ts";

/** What waits for a human. */
export function Requests(): JSX.Element {
  const list = pending.value;
  useFocusTaken();
  if (list === undefined) return <p class="empty">Loading…</p>;
  if (list.length === 0)
    return (
      <div class="empty">
        <p>Nothing waits for you.</p>
        <p class="hint">A request appears here as soon as a policy wants a human's yes. You may leave this page open.</p>
      </div>
    );
  const groups = groupsOf(list);
  return (
    <>
      {pendingTotal.value > list.length && (
        <p class="banner warn">
          {pendingTotal.value} requests wait; the newest {list.length} are shown.
        </p>
      )}
      <div class="groups">
        {groups.map((group) => (
          <RequestGroup key={group.id} group={group} />
        ))}
      </div>
    </>
  );
}
