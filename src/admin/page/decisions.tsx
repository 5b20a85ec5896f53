import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { messageOf, read } from "./api.ts";
import { DecisionItem } from "./decision-item.tsx";
import { decisionTick } from "./store.ts";
import type { Decision, DecisionPage } from "./types.ts";

const PAGE = 50;
/** Fields of the filter; `since` and `until` are times of the reader's own zone. */
const EMPTY: Readonly<Record<string, string>> = { allowed: "", tool: "", code: "", session: "", text: "", since: "", until: "" };

function queryOf(filter: Readonly<Record<string, string>>, cursor: string | null): string {
  const query = new URLSearchParams({ limit: String(PAGE) });
  for (const [name, value] of Object.entries(filter)) {
    if (value === "") continue;
    const isTime = name === "since" || name === "until";
    query.set(name, isTime ? new Date(value).toISOString() : value);
  }
  if (cursor !== null) query.set("cursor", cursor);
  return query.toString();
}

interface FilterProps {
  readonly filter: Readonly<Record<string, string>>;
  readonly onChange: (filter: Readonly<Record<string, string>>) => void;
}

interface FieldProps {
  readonly name: string;
  readonly label: string;
  readonly type?: "text" | "datetime-local";
  readonly value: string;
  readonly onCommit: (value: string) => void;
}

/** A field of the filter: what is typed is kept while the page is drawn again, and counts once it is complete. */
function Field({ name, label, type = "text", value, onCommit }: FieldProps): JSX.Element {
  const [draft, setDraft] = useState(value);
  useEffect(() => setDraft(value), [value]);
  const input = {
    id: `filter-${name}`,
    value: draft,
    autocomplete: "off",
    onInput: (event: { readonly currentTarget: HTMLInputElement }): void => setDraft(event.currentTarget.value),
    onChange: (event: { readonly currentTarget: HTMLInputElement }): void => onCommit(event.currentTarget.value),
  };
  return (
    <div class={type === "text" ? "field" : "field time"}>
      <label for={input.id}>{label}</label>
      {type === "text" ? <input type="text" spellcheck={false} {...input} /> : <input type="datetime-local" {...input} />}
    </div>
  );
}

function Filter({ filter, onChange }: FilterProps): JSX.Element {
  const field = (name: string, label: string, type?: "datetime-local"): JSX.Element => (
    <Field
      name={name}
      label={label}
      value={filter[name] ?? ""}
      onCommit={(value) => onChange({ ...filter, [name]: value })}
      {...(type === undefined ? {} : { type })}
    />
  );
  const isOn = Object.values(filter).some((value) => value !== "");
  return (
    <form class="filter" role="search" aria-label="Filter decisions" onSubmit={(event) => event.preventDefault()}>
      <div class="field">
        <label for="filter-allowed">Outcome</label>
        <select
          id="filter-allowed"
          value={filter["allowed"] ?? ""}
          onChange={(event) => onChange({ ...filter, allowed: event.currentTarget.value })}
        >
          <option value="">all</option>
          <option value="true">allowed</option>
          <option value="false">refused</option>
        </select>
      </div>
      {field("tool", "Tool")}
      {field("code", "Code")}
      {field("session", "Session")}
      {field("text", "Text")}
      {field("since", "From", "datetime-local")}
      {field("until", "Until", "datetime-local")}
      <button type="button" class="quiet" disabled={!isOn} onClick={() => onChange(EMPTY)}>
        Clear
      </button>
    </form>
  );
}

/** What the gate decided, the newest first, with filters; read again when something happens, unless older pages are open. */
export function Decisions(): JSX.Element {
  const [filter, setFilter] = useState(EMPTY);
  const [list, setList] = useState<readonly Decision[] | undefined>(undefined);
  const [next, setNext] = useState<string | null>(null);
  const [failure, setFailure] = useState("");
  const [isDeep, setDeep] = useState(false);
  const asked = useRef(0);

  const load = async (cursor: string | null): Promise<void> => {
    asked.current += 1;
    const own = asked.current;
    try {
      const page = await read<DecisionPage>(`/v1/decisions?${queryOf(filter, cursor)}`);
      // A later question has overtaken this one.
      if (own !== asked.current) return;
      setList((before) => (cursor === null ? page.decisions : [...(before ?? []), ...page.decisions]));
      setNext(page.next);
      setDeep(cursor !== null);
      setFailure("");
    } catch (error) {
      if (own === asked.current) setFailure(messageOf(error));
    }
  };
  useEffect(() => void load(null), [filter]);
  useEffect(() => {
    if (!isDeep) void load(null);
  }, [decisionTick.value]);

  return (
    <>
      <Filter filter={filter} onChange={setFilter} />
      <p class="problem" role="alert">
        {failure}
      </p>
      {list === undefined ? (
        <p class="empty">Loading…</p>
      ) : list.length === 0 && next === null ? (
        <p class="empty">No decision matches.</p>
      ) : (
        <ol class="decisions" aria-label="Decisions, the newest first">
          {list.map((decision) => (
            <DecisionItem key={decision.decision_id + decision.seq} decision={decision} />
          ))}
        </ol>
      )}
      {next !== null && (
        <button type="button" class="more" onClick={() => void load(next)}>
          Show older ones
        </button>
      )}
    </>
  );
}
