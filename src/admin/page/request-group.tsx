import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { useFocusHandedOn } from "./focus.ts";
import { plural, shortSession } from "./format.ts";
import type { Group } from "./groups.ts";
import { RequestCall } from "./request-call.tsx";
import { useChoice } from "./request-choice.ts";
import type { Choice } from "./request-choice.ts";
import { place } from "./store.ts";

interface ActProps {
  readonly choice: Choice;
  readonly groupId: string;
  readonly isOne: boolean;
}

/** One reason and two buttons for what is selected. */
function Act({ choice, groupId, isOne }: ActProps): JSX.Element {
  const { chosen, unseen, isBusy, problems, reason, setReason, act } = choice;
  const what = isOne ? "" : ` ${chosen.length} selected`;
  const hints = [`seen-hint-${groupId}`, ...unseen.map(({ id }) => `seen-${id}`)].join(" ");
  return (
    <form class="act" onSubmit={(event) => event.preventDefault()}>
      <label for={`reason-${groupId}`}>Reason</label>
      <textarea
        id={`reason-${groupId}`}
        rows={1}
        maxLength={2_000}
        value={reason}
        placeholder="for the record; a denial needs one"
        aria-describedby={`problems-${groupId}`}
        onInput={(event) => setReason(event.currentTarget.value)}
      />
      <div class="buttons">
        <button
          type="button"
          class="approve"
          disabled={chosen.length === 0 || unseen.length > 0}
          aria-disabled={isBusy}
          aria-describedby={unseen.length > 0 ? hints : undefined}
          onClick={() => void act("approve")}
        >
          Approve{what}
        </button>
        <button type="button" class="deny" disabled={chosen.length === 0} aria-disabled={isBusy} onClick={() => void act("deny")}>
          Deny{what}
        </button>
        <span class="hint" id={`seen-hint-${groupId}`}>
          {unseen.length > 0 && (isOne ? "See the whole call first." : `${plural(unseen.length, "call")} not seen to the end.`)}
        </span>
      </div>
      <div id={`problems-${groupId}`} role="alert" class="problem">
        {problems.map((text) => (
          <p key={text}>{text}</p>
        ))}
      </div>
    </form>
  );
}

/** Requests of one session that came together; a link to one of them leads here. */
export function RequestGroup({ group: { id: groupId, approvals } }: { readonly group: Group }): JSX.Element {
  const card = useRef<HTMLElement>(null);
  const choice = useChoice(approvals, card);
  useFocusHandedOn(card);
  const isTarget = approvals.some(({ id }) => id === place.value.id);
  useEffect(() => {
    if (!isTarget) return;
    card.current?.scrollIntoView({ block: "start" });
    card.current?.querySelector("h2")?.focus({ preventScroll: true });
  }, [isTarget]);
  const [first] = approvals;
  if (first === undefined) return <></>;
  const isOne = approvals.length === 1;
  return (
    <article class={isTarget ? "group target" : "group"} ref={card} aria-labelledby={`group-${groupId}`}>
      <header>
        <h2 id={`group-${groupId}`} tabIndex={-1}>
          {isOne ? "One call" : `${approvals.length} calls together`} <span class="of">of</span> {first.agent_id}
        </h2>
        <p class="sub">
          session <span title={first.session_id}>{shortSession(first.session_id)}</span>, asked by {first.requester.user}
        </p>
      </header>
      {approvals.map((approval) => (
        <RequestCall
          key={approval.id}
          approval={approval}
          isSeen={choice.isSeen(approval)}
          onSeen={() => choice.see(approval)}
          selection={isOne ? undefined : { isOn: choice.chosen.includes(approval), toggle: () => choice.toggle(approval) }}
        />
      ))}
      <Act choice={choice} groupId={groupId} isOne={isOne} />
    </article>
  );
}
