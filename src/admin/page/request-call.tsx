import type { JSX } from "preact";
import { ExactText } from "./exact-text.tsx";
import { clock, localTime, secondsUntil } from "./format.ts";
import { now } from "./store.ts";
import type { Approval } from "./types.ts";

/** One call of a group. */
export interface RequestCallProps {
  readonly approval: Approval;
  readonly isSeen: boolean;
  readonly onSeen: () => void;
  /** Absent when the call stands alone. */
  readonly selection?: { readonly isOn: boolean; readonly toggle: () => void } | undefined;
}

/** How long a human has left. */
export function Countdown({ until }: { readonly until: string }): JSX.Element {
  const left = secondsUntil(until, now.value);
  return (
    <span class={left < 60 ? "countdown soon" : "countdown"} role="timer" title={`expires ${localTime(until)}`}>
      {left === 0 ? "expired" : `${clock(left)} left`}
    </span>
  );
}

function Why({ rule }: Pick<Approval, "rule">): JSX.Element {
  return (
    <ul class="why" aria-label="Why policy asks">
      {rule.map(({ code, rule: name, message }) => (
        <li key={`${name} ${code}`}>
          <span>{message}</span>{" "}
          <span class="source">
            rule <code>{name}</code>, code <code>{code}</code>
          </span>
        </li>
      ))}
    </ul>
  );
}

function Facts({ approval }: { readonly approval: Approval }): JSX.Element {
  const { id, workdir, profile, session_id, agent_id, requester, created_at, expires_at, digest, shown, approvers } = approval;
  const rows: readonly (readonly [string, string])[] = [
    ["request", id],
    ["agent", agent_id],
    ["session", session_id],
    ["asked by", `${requester.user} (uid ${requester.uid})`],
    ["working directory", workdir || "none"],
    ["profile", profile ?? "none"],
    ["asked", localTime(created_at)],
    ["expires", localTime(expires_at)],
    ["approvers", approvers?.join(", ") ?? "everybody but the requester"],
    ["bound to", digest],
    ["text", shown.digest],
  ];
  return (
    <details class="facts">
      <summary>Details</summary>
      <dl>
        {rows.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

/** One call: why it is asked about, exactly what would run, and its facts. */
export function RequestCall({ approval, isSeen, onSeen, selection }: RequestCallProps): JSX.Element {
  const { id, tool, shown, rule, votes, quorum } = approval;
  const yes = votes.filter(({ decision }) => decision === "approve");
  return (
    <section class="call" aria-labelledby={`call-${id}`} data-request={id}>
      <div class="call-head">
        {selection !== undefined && (
          <input
            type="checkbox"
            id={`pick-${id}`}
            checked={selection.isOn}
            onChange={selection.toggle}
            aria-label={`Select ${tool}, request ${id.slice(0, 8)}`}
          />
        )}
        <h3 id={`call-${id}`}>
          <code>{tool}</code>
        </h3>
        {quorum > 1 && (
          <span class="badge">
            {yes.length} of {quorum} approvals{yes.length > 0 && `: ${yes.map(({ owner }) => owner).join(", ")}`}
          </span>
        )}
        <Countdown until={approval.expires_at} />
      </div>
      <Why rule={rule} />
      <ExactText text={shown.text} label={`Exact call of ${tool}`} onSeen={onSeen} />
      <p class={isSeen ? "seen yes" : "seen"} id={`seen-${id}`}>
        {isSeen ? "You have seen all of it." : "Scroll to the end of the call before you approve it."}
      </p>
      <Facts approval={approval} />
    </section>
  );
}
