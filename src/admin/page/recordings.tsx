import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { localTime, plural, size } from "./format.ts";
import { load, recordings } from "./store.ts";
import { Table } from "./table.tsx";

/** The recordings of sessions: what there is, not what is in it. */
export function Recordings(): JSX.Element {
  useEffect(() => void load("recordings"), []);
  return (
    <>
      <Table
        label="Recordings"
        empty="Nothing is recorded."
        head={["session", "events", "size", "changed", "SHA-256"]}
        rows={recordings.value.map(({ session_id, event_count, size_bytes, modified, digest_sha256 }) => [
          <code key="id">{session_id}</code>,
          plural(event_count, "event"),
          size(size_bytes),
          localTime(modified),
          <code key="digest" title={digest_sha256}>
            {digest_sha256.slice(0, 16)}…
          </code>,
        ])}
      />
      <p class="hint">
        A recording is exported on the command line: <code>regate recordings export ID</code>.
      </p>
    </>
  );
}
