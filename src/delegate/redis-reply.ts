import { DelegateError } from "./delegate-error.ts";
import type { Entry } from "./store.ts";

/** Text of a bulk or simple string; anything else is an answer that nobody expects. */
export function textOf(reply: unknown): string {
  if (reply instanceof Uint8Array) return Buffer.from(reply).toString("utf8");
  if (typeof reply === "string") return reply;
  throw unexpected();
}

/** A whole number of an answer. */
export function numberOf(reply: unknown): number {
  const number = typeof reply === "number" ? reply : Number(textOf(reply));
  if (!Number.isFinite(number)) throw unexpected();
  return number;
}

/** A list of an answer. */
export function listOf(reply: unknown): readonly unknown[] {
  if (!Array.isArray(reply)) throw unexpected();
  return reply as unknown[];
}

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

/** An answer that does not have the form of its command. */
export function unexpected(): DelegateError {
  return new DelegateError("store_unavailable", "the store gave an unexpected answer");
}
