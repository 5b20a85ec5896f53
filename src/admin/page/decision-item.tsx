import type { JSX } from "preact";
import { dayTime, shortSession } from "./format.ts";
import { now } from "./store.ts";
import type { Decision } from "./types.ts";

function Verdict({ allowed, code }: Pick<Decision, "allowed" | "code">): JSX.Element {
  if (allowed) return <span class="verdict yes">allowed</span>;
  return code?.endsWith(".pending") === true ? <span class="verdict wait">waiting</span> : <span class="verdict no">refused</span>;
}

/** One line: when, what, whose; and what was said, in words and not in colour alone. */
function Line({ decision }: { readonly decision: Decision }): JSX.Element {
  const { time, tool, allowed, code, session_id, agent_id, dry_run, outcome } = decision;
  const end = outcome !== null && outcome.status !== "ok" ? outcome.status : "";
  return (
    <summary>
      <Verdict allowed={allowed} code={code} />
      <code class="tool">
        {tool}
        {dry_run && <span class="badge">dry run</span>}
      </code>
      <span class="code">{code ?? end}</span>
      <span class="agent" title={session_id}>
        {agent_id} <span class="of">{shortSession(session_id)}</span>
      </span>
      <time dateTime={time}>{dayTime(time, now.value)}</time>
    </summary>
  );
}

function Explanation({ decision }: { readonly decision: Decision }): JSX.Element {
  const { explanation, reasons, deny_reason: said, warnings, allowed } = decision;
  return (
    <div class="explanation">
      {allowed && <p>Every stage of the gate let it pass.</p>}
      {explanation !== null && (
        <>
          <p>{explanation.meaning}</p>
          <p>
            <strong>What helps:</strong> {explanation.remedy}
          </p>
        </>
      )}
      {reasons.length + warnings.length > 0 && (
        <ul class="why" aria-label="Reasons of the policy">
          {[...reasons, ...warnings].map(({ code, rule, message, remedy }) => (
            <li key={rule + code + message}>
              <span>{message}</span>{" "}
              <span class="source">
                rule <code>{rule}</code>, code <code>{code}</code>
                {remedy !== null && (
                  <>
                    , remedy <code>{remedy}</code>
                  </>
                )}
              </span>
            </li>
          ))}
        </ul>
      )}
      {said !== null && reasons.every(({ message }) => message !== said) && <p>{said}</p>}
    </div>
  );
}

function Facts({ decision }: { readonly decision: Decision }): JSX.Element {
  const { decision_id, session_id, user, stage, path, risk, bundle, seq, hash, erased, outcome } = decision;
  const rows: readonly (readonly [string, string])[] = [
    [
      "outcome",
      outcome === null
        ? "none on record"
        : `${outcome.status}${outcome.code === null ? "" : ` (${outcome.code})`}, ${Math.round(outcome.duration_ms)} ms`,
    ],
    ["stage", `${stage}, path ${path}, risk ${risk}`],
    ["session", `${session_id}, user ${user}`],
    ["decision", decision_id],
    ["bundle", bundle ?? "none"],
    ["log", `event ${seq}, ${hash}`],
    ...(erased.length === 0 ? [] : [["erased", erased.join(", ")] as const]),
  ];
  return (
    <dl>
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** One decision: a line that opens to what its code means, why, and what would help. */
export function DecisionItem({ decision }: { readonly decision: Decision }): JSX.Element {
  return (
    <li>
      <details class="decision">
        <Line decision={decision} />
        <div class="inside">
          <Explanation decision={decision} />
          <div class="exact small" role="region" aria-label={`Arguments of ${decision.tool}`} tabIndex={0}>
            <pre>{decision.arguments}</pre>
          </div>
          <Facts decision={decision} />
        </div>
      </details>
    </li>
  );
}
