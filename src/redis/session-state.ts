import { createHash, randomUUID } from "node:crypto";
import type { SharedMoment, SharedSessionStore, SharedTerms } from "../session/shared-store.ts";
import { countersLifetimeMs, LEASE_MS } from "../session/shared-terms.ts";
import { listOf, numberOf, textOf, unexpected } from "./reply.ts";
import type { Send } from "./send.ts";
import { CONFIRM, COUNT_DENIED, ENTER, KEEP, RELEASE, SETTLE } from "./session-scripts.ts";
import type { StateKeys } from "./state-keys.ts";

/** Where one session's state is. */
export interface SessionPlace {
  readonly keys: StateKeys;
  readonly id: string;
  readonly terms: SharedTerms;
}

/** The state of one session in Redis: each step is one script, all times are those of Redis. */
export function redisSessionState(send: Send, { keys, id, terms }: SessionPlace): SharedSessionStore {
  const names = [keys.identity(id), keys.switching(id), keys.usage(id), keys.recent(id), keys.running(id)];
  const run = (script: string, ...words: readonly (string | number | boolean)[]): Promise<unknown> =>
    send(["EVAL", script, "5", ...names, ...words.map((word) => String(typeof word === "boolean" ? Number(word) : word))]);
  const { lifetimeMs, rules } = terms;
  const [countersMs, maxMutations] = [countersLifetimeMs(lifetimeMs), rules.maxMutations ?? 0];
  return {
    async enter({ token, tool, as, mark, label }) {
      const limits = [rules.bindProfile === true, rules.maxAgeMs ?? 0, maxMutations];
      const words = [token, as, counterOf(tool), mark, JSON.stringify(label), randomUUID(), LEASE_MS, lifetimeMs, countersMs];
      return momentOf(listOf(await run(ENTER, ...words, ...limits)));
    },
    async settle({ token, stamp, rearms, mutates, runs, denied }) {
      const words = [token, stamp.generation, stamp.epoch, rearms, mutates, runs, denied, LEASE_MS, lifetimeMs, countersMs];
      const word = textOf(await run(SETTLE, ...words, maxMutations));
      if (word !== "settled" && word !== "moved") throw unexpected();
      return word;
    },
    async confirm({ generation, epoch }, profile) {
      return numberOf(await run(CONFIRM, generation, epoch, JSON.stringify(profile), lifetimeMs)) === 1;
    },
    async release(token, mark) {
      await run(RELEASE, token, mark);
    },
    async countDenied() {
      await run(COUNT_DENIED, countersMs);
    },
    async keep(holds) {
      const words = holds.flatMap(({ token, running, switching }) => [token, running, switching]);
      await run(KEEP, LEASE_MS, lifetimeMs, countersMs, ...words);
    },
  };
}

/** Names of tools can be as long as a message: their counters are named by a digest. */
function counterOf(tool: string): string {
  return `t:${createHash("sha256").update(tool).digest("base64url").slice(0, 22)}`;
}

const REPLY_LENGTH = 11;

function momentOf(reply: readonly unknown[]): SharedMoment {
  if (reply.length !== REPLY_LENGTH) throw unexpected();
  const [generation, epoch, confirmed, profile, switching, ...counters] = reply;
  const [calls = 0, toolCalls = 0, recent = 0, running = 0, denied = 0, elapsedMs = 0] = counters.map(wholeOf);
  const word = textOf(confirmed);
  if (word !== "0" && word !== "1") throw unexpected();
  return {
    stamp: { generation: textOf(generation), epoch: wholeOf(epoch) },
    confirmed: word === "1",
    profile: labelOf(textOf(profile)),
    quiet: wholeOf(switching) === 0,
    usage: {
      calls,
      tool_calls: toolCalls,
      calls_last_minute: recent,
      running,
      denied,
      elapsed_seconds: Math.floor(elapsedMs / 1_000),
    },
  };
}

function wholeOf(reply: unknown): number {
  const number = numberOf(reply);
  if (!Number.isSafeInteger(number) || number < 0) throw unexpected();
  return number;
}

function labelOf(text: string): string | null {
  try {
    const label: unknown = JSON.parse(text);
    if (label === null || typeof label === "string") return label;
  } catch {
    // Nothing that this program writes.
  }
  throw unexpected();
}
