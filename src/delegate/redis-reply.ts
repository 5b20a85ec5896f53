import { listOf, textOf } from "../redis/reply.ts";
import type { Entry } from "./store.ts";

/** Entries as stream commands give them; one that was deleted while it was pending has no fields, or is missing. */
export function entriesOf(reply: unknown): readonly Entry[] {
  return listOf(reply)
    .filter((entry) => entry !== null)
    .map((entry) => {
      const [id, fields] = listOf(entry);
      return fields === null
        ? { id: textOf(id), data: undefined, deleted: true as const }
        : { id: textOf(id), data: dataOf(listOf(fields)) };
    });
}

/** Entries of the one stream that was read; an empty list when there was nothing. */
export function entriesOfRead(reply: unknown): readonly Entry[] {
  if (reply === null) return [];
  const [stream] = listOf(reply);
  return stream === undefined ? [] : entriesOf(listOf(stream)[1]);
}

/** The one field `data`. */
function dataOf(fields: readonly unknown[]): Uint8Array | undefined {
  const found = fields.filter((_value, index) => index % 2 === 1 && textOf(fields[index - 1]) === "data");
  const [data] = found;
  return found.length === 1 && data instanceof Uint8Array ? data : undefined;
}
