import { listOf, textOf } from "../redis/reply.ts";
import type { Send } from "../redis/send.ts";
import type { Keys } from "./keys.ts";

/** One dead letter as an operator sees it: never the call's arguments. */
export interface DeadLetter {
  readonly id: string;
  readonly error: string;
  readonly problem: string;
  readonly original_msg_id: string;
  readonly operation_id: string;
  readonly trace_id: string;
  readonly attempt: string;
  readonly ts: string;
  /** Whether the message is kept, so that it can be replayed. */
  readonly replayable: boolean;
}

/** What became of a replay. */
export type Replay =
  | { readonly kind: "replayed"; readonly entryId: string }
  | { readonly kind: "no_letter" | "no_message" | "expired" }
  /** The ledger knows the operation: it has run or may have, and does not run again (trial D06). */
  | { readonly kind: "known"; readonly state: string };

const REPLAY = `
local found = redis.call('XRANGE', KEYS[1], ARGV[1], ARGV[1])
if #found == 0 then return {'no_letter'} end
if redis.call('EXISTS', KEYS[4]) == 0 then return {'expired'} end
local state = redis.call('HMGET', KEYS[3], 'state', 'status')
if state[1] then return {'known', state[2] or state[1]} end
local id = redis.call('XADD', KEYS[2], '*', 'data', ARGV[2])
redis.call('XDEL', KEYS[1], ARGV[1])
return {'replayed', id}`;

/** Letters that are read at once: each can hold a message of 1 MiB. */
const PAGE = 16;

/** The dead letters, oldest first, however many there are. */
export async function* deadLetters(keys: Keys, send: Send): AsyncGenerator<DeadLetter> {
  for (let from = "-"; ;) {
    const page = listOf(await send(["XRANGE", keys.deadLetters, from, "+", "COUNT", String(PAGE)])).map(letterOf);
    yield* page;
    const last = page.at(-1);
    if (last === undefined) return;
    from = `(${last.id}`;
  }
}

function letterOf(entry: unknown): DeadLetter {
  const [id, fields] = listOf(entry);
  const letter = fieldsOf(fields);
  const of = (name: string): string => letter.get(name) ?? "";
  return {
    id: textOf(id),
    error: of("error"),
    problem: of("problem"),
    original_msg_id: of("original_msg_id"),
    operation_id: of("operation_id"),
    trace_id: of("trace_id"),
    attempt: of("attempt"),
    ts: of("ts"),
    replayable: letter.has("data"),
  };
}

/**
 * Puts the message of a dead letter back into the call stream, where it meets every check of a new one. What the ledger knows is refused.
 * Needs a Redis user of its own: neither producer nor worker may do this.
 */
export async function replayDeadLetter(keys: Keys, send: Send, id: string): Promise<Replay> {
  const [found] = listOf(await send(["XRANGE", keys.deadLetters, id, id]));
  if (found === undefined) return { kind: "no_letter" };
  const letter = fieldsOf(listOf(found)[1]);
  const [data, operationId] = [letter.get("data"), letter.get("operation_id") ?? ""];
  if (data === undefined || operationId === "") return { kind: "no_message" };
  const names = [keys.deadLetters, keys.stream, keys.ledger(operationId), keys.proof(operationId)];
  const [word, value] = listOf(await send(["EVAL", REPLAY, "4", ...names, id, data])).map(textOf);
  if (word === "replayed") return { kind: "replayed", entryId: value ?? "" };
  if (word === "known") return { kind: "known", state: value ?? "" };
  return { kind: word === "expired" ? "expired" : "no_letter" };
}

function fieldsOf(fields: unknown): ReadonlyMap<string, string> {
  const list = listOf(fields).map(textOf);
  return new Map(list.flatMap((name, index) => (index % 2 === 0 ? [[name, list[index + 1] ?? ""] as const] : [])));
}
