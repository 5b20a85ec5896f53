import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { hasStatus, messageOf, send } from "./api.ts";
import { plural, shortSession } from "./format.ts";
import type { Group } from "./groups.ts";
import { RequestCall } from "./request-call.tsx";
import { load, place, say } from "./store.ts";
import type { Approval } from "./types.ts";

/** Puts the cursor on what waits next, or on the heading when nothing does. */
function focusNext(): void {
  requestAnimationFrame(() => document.querySelector<HTMLElement>(".group h2, main h1")?.focus());
}

async function decide(verb: "approve" | "deny", approvals: readonly Approval[], reason: string): Promise<readonly string[]> {
  const problems: string[] = [];
  // One after the other: each is a signature of its own over its own text.
  for (const { id, tool, shown } of approvals) {
    try {
      await send(`/v1/approvals/${id}/${verb}`, { reason, shown: shown.digest });
    } catch (error) {
      problems.push(approvals.length === 1 ? messageOf(error) : `${tool} (${id.slice(0, 8)}): ${messageOf(error)}`);
      if (hasStatus(error, 401)) break;
    }
  }
  return problems;
}

/** Sets of ids, as a piece of state. */
function useSet(): readonly [ReadonlySet<string>, (id: string, isIn: boolean) => void] {
  const [set, change] = useState<ReadonlySet<string>>(new Set());
  return [
    set,
    (id, isIn) =>
      change((before) => {
        const after = new Set(before);
        if (isIn) after.add(id);
        else after.delete(id);
        return after;
      }),
  ];
}

/** Requests that came together, with one reason and two buttons for those that are selected. */
export function RequestGroup({ group }: { readonly group: Group }): JSX.Element {
  const { approvals } = group;
  const [seen, setSeen] = useSet();
  const [left, setLeft] = useSet();
  const [reason, setReason] = useState("");
  const [problems, setProblems] = useState<readonly string[]>([]);
  const [isBusy, setBusy] = useState(false);
  const card = useRef<HTMLElement>(null);
  const isTarget = approvals.some(({ id }) => id === place.value.id);
  useEffect(() => {
    if (!isTarget) return;
    card.current?.scrollIntoView({ block: "start" });
    card.current?.querySelector("h2")?.focus({ preventScroll: true });
  }, [isTarget]);
  const [first] = approvals;
  if (first === undefined) return <></>;
  const isOne = approvals.length === 1;
  const chosen = approvals.filter(({ id }) => !left.has(id));
  const unseen = chosen.filter(({ id }) => !seen.has(id));

  const act = async (verb: "approve" | "deny"): Promise<void> => {
    if (verb === "deny" && reason.trim() === "") {
      setProblems(["Say why: a denial needs a reason."]);
      card.current?.querySelector("textarea")?.focus();
      return;
    }
    setBusy(true);
    const failed = await decide(verb, chosen, reason.trim());
    setProblems(failed);
    setBusy(false);
    const done = chosen.length - failed.length;
    if (done > 0) say(`${plural(done, "request")} ${verb === "approve" ? "approved" : "denied"}`);
    await load("approvals");
    if (failed.length === 0) focusNext();
  };
  const what = isOne ? "" : ` ${chosen.length} selected`;
  const names = `seen-hint-${group.id} ${unseen.map(({ id }) => `seen-${id}`).join(" ")}`;

  return (
    <article class={isTarget ? "group target" : "group"} ref={card} aria-labelledby={`group-${group.id}`}>
      <header>
        <h2 id={`group-${group.id}`} tabIndex={-1}>
          {isOne ? "One call" : `${approvals.length} calls within a second`} <span class="of">of</span> {first.agent_id}
        </h2>
        <p class="sub">
          session <span title={first.session_id}>{shortSession(first.session_id)}</span>, asked by {first.requester.user}
        </p>
      </header>
      {approvals.map((approval) => (
        <RequestCall
          key={approval.id}
          approval={approval}
          isSeen={seen.has(approval.id)}
          onSeen={() => setSeen(approval.id, true)}
          selection={isOne ? undefined : { isOn: !left.has(approval.id), toggle: () => setLeft(approval.id, !left.has(approval.id)) }}
        />
      ))}
      <form class="act" onSubmit={(event) => event.preventDefault()}>
        <label for={`reason-${group.id}`}>Reason</label>
        <textarea
          id={`reason-${group.id}`}
          rows={1}
          maxLength={2_000}
          value={reason}
          placeholder="for the record; a denial needs one"
          aria-describedby={`problems-${group.id}`}
          onInput={(event) => setReason(event.currentTarget.value)}
        />
        <div class="buttons">
          <button
            type="button"
            class="approve"
            disabled={isBusy || chosen.length === 0 || unseen.length > 0}
            aria-describedby={unseen.length > 0 ? names : undefined}
            onClick={() => void act("approve")}
          >
            Approve{what}
          </button>
          <button type="button" class="deny" disabled={isBusy || chosen.length === 0} onClick={() => void act("deny")}>
            Deny{what}
          </button>
          <span class="hint" id={`seen-hint-${group.id}`}>
            {unseen.length > 0 && (isOne ? "See the whole call first." : `${plural(unseen.length, "call")} not seen to the end.`)}
          </span>
        </div>
        <div id={`problems-${group.id}`} role="alert" class="problem">
          {problems.map((text) => (
            <p key={text}>{text}</p>
          ))}
        </div>
      </form>
    </article>
  );
}
