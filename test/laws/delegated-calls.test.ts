import canonicalize from "canonicalize";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { canonicalText } from "../../src/delegate/canonical.ts";
import { DelegateError } from "../../src/delegate/delegate-error.ts";
import { readEnvelope } from "../../src/delegate/envelope.ts";
import { decodeIdentity, identityOf, identityText } from "../../src/delegate/identity.ts";
import { keysOf } from "../../src/delegate/keys.ts";
import { createMemoryCalls } from "../../src/delegate/memory-calls.ts";
import { redisCalls } from "../../src/delegate/redis-calls.ts";
import { redisFront } from "../../src/delegate/redis-front.ts";
import { readReply } from "../../src/delegate/reply.ts";
import type { CallStore, Claimed, ClaimRequest, Finish, FrontStore } from "../../src/delegate/store.ts";
import { openConnection } from "../../src/redis/connection.ts";
import type { Connection } from "../../src/redis/connection.ts";
import { clientOf, haveRedis, startRedis } from "../delegate/redis-kit.ts";
import type { RedisServer, TestClient } from "../delegate/redis-kit.ts";

const isSafe = (value: unknown): boolean => {
  if (typeof value === "number") return !Number.isInteger(value) || Number.isSafeInteger(value);
  if (typeof value !== "object" || value === null) return true;
  return Object.values(value).every(isSafe);
};
/** JSON values with any well-formed text, in keys too, and numbers that JSON keeps. */
const json = fc.jsonValue({ stringUnit: "binary", maxDepth: 6 }).filter(isSafe);

describe("canonical text", () => {
  it("is that of RFC 8785, as another implementation writes it, and says the same value", () => {
    fc.assert(
      fc.property(json, (value) => {
        const text = canonicalText(value);
        expect(text).toBe(canonicalize(value));
        expect(canonicalText(JSON.parse(text))).toBe(text);
      }),
    );
  });

  it("does not know the order of keys", () => {
    const entries = fc.uniqueArray(fc.tuple(fc.string(), json), { selector: ([key]) => key, maxLength: 8 });
    fc.assert(
      fc.property(entries, (list) => {
        // Made without a prototype, so that `__proto__` is a key like any other.
        const objectOf = (pairs: typeof list) => {
          const made = Object.create(null) as Record<string, unknown>;
          for (const [key, value] of pairs) made[key] = value;
          return made;
        };
        expect(canonicalText(objectOf(list.toReversed()))).toBe(canonicalText(objectOf(list)));
      }),
    );
  });
});

describe("what comes from Redis", () => {
  const shaped = fc.record(
    {
      v: fc.constantFrom(1, 2, "1", null),
      operation_id: json,
      correlation_id: json,
      trace_id: json,
      tool_name: json,
      tool_args: json,
      context: json,
      require_existing: json,
      reply_to: json,
      fingerprint: json,
      status: fc.constantFrom("ok", "error", "odd", 1),
      result: json,
      error: json,
      user_id: json,
      platform: json,
      user_aliases: json,
    },
    { requiredKeys: [] },
  );
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    fc.string({ unit: "binary" }).map((text) => Buffer.from(text)),
    json.map((value) => Buffer.from(JSON.stringify(value))),
    shaped.map((value) => Buffer.from(JSON.stringify(value))),
  );

  it("is read or refused, and never ends a reader", () => {
    fc.assert(
      fc.property(bytes, (data) => {
        const envelope = readEnvelope(data);
        if (envelope.ok) expect(typeof envelope.envelope.operationId).toBe("string");
        const reply = readReply(data);
        if (reply !== undefined) expect(["ok", "error", "indeterminate"]).toContain(reply.status);
        try {
          decodeIdentity(data);
        } catch (error) {
          expect(error).toBeInstanceOf(DelegateError);
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it("an identity is the same after it was stored, whatever its ids are", () => {
    const id = fc.string({ unit: "binary", minLength: 1 });
    const identity = fc.record(
      { user_id: id, platform: id, guild_id: fc.option(id), channel_id: fc.option(id), user_aliases: fc.option(fc.array(id)) },
      { requiredKeys: ["user_id", "platform"] },
    );
    fc.assert(
      fc.property(identity, (given) => {
        const text = identityText(identityOf(given));
        expect(identityText(decodeIdentity(Buffer.from(text)))).toBe(text);
      }),
    );
  });
});

type Action = ({ readonly kind: "claim" | "renew" } & ClaimRequest) | ({ readonly kind: "finish" } & Finish);

const operationId = fc.constantFrom("o1", "o2");
const token = fc.constantFrom("t1", "t2", "t3");
const claim = fc.record({
  kind: fc.constantFrom("claim", "claim", "claim", "claim", "renew"),
  worker: fc.constantFrom("w1", "w2"),
  operationId,
  fingerprint: fc.constantFrom("f1", "f1", "f2"),
  token,
  entryId: fc.constantFrom("1-1", "2-1"),
  // A lease of 0 is over when anybody asks; one of an hour never is.
  leaseMs: fc.constantFrom(0, 3_600_000),
  ttl: fc.constant(3_600),
  requireExisting: fc.boolean(),
  repeatable: fc.constantFrom(false, false, true),
  exhausted: fc.constantFrom(false, false, false, true),
  unknownBody: fc.constant('{"unknown":1}'),
});
const finish = fc.record({
  kind: fc.constant("finish"),
  operationId,
  token,
  fingerprint: fc.constant("f1"),
  entryId: fc.constant("1-1"),
  status: fc.constant("ok"),
  body: fc.constantFrom('{"a":1}', '{"b":2}'),
  ttl: fc.constant(3_600),
  reply: fc.constant({ lane: "sg:tools:reply:l", data: "x", ttl: 60 }),
});
const action: fc.Arbitrary<Action> = fc.oneof({ weight: 5, arbitrary: claim }, { weight: 2, arbitrary: finish });

/** Two calls that are handed out; actions name their entries `1-1` and `2-1`. */
async function handedOut(store: CallStore, front: FrontStore): Promise<(given: Action) => Action> {
  await store.prepare();
  for (const id of ["p1", "p2"]) await front.publish({ operationId: id, proof: "p", data: "{}", ttl: 60, limit: 10 });
  const entries = await store.readNew("w1", { count: 2, waitMs: 100 });
  const ids: Readonly<Record<string, string | undefined>> = { "1-1": entries[0]?.id, "2-1": entries[1]?.id };
  return (given) => ({ ...given, entryId: ids[given.entryId] ?? "" });
}

function perform(store: CallStore, given: Action): Promise<unknown> {
  if (given.kind === "finish") return store.finish(given);
  return given.kind === "renew" ? store.renew(given) : store.claim(given);
}

/** Whatever the order: what must not run again is begun once, and a result stays what it is. */
function checkHistory(actions: readonly Action[], answers: readonly unknown[]): void {
  const begun = new Map<string, number>();
  const kept = new Map<string, unknown>();
  for (const [index, given] of actions.entries()) {
    if (given.kind !== "claim") continue;
    const { operationId: operation, repeatable } = given;
    const answer = answers[index] as Claimed;
    if (answer.kind === "claimed") {
      expect(kept.has(operation)).toBe(false);
      // Begun again only where the one who asks says that it is harmless.
      if ((begun.get(operation) ?? 0) > 0) expect(repeatable).toBe(true);
      begun.set(operation, (begun.get(operation) ?? 0) + 1);
    }
    if (answer.kind === "terminal") {
      const result = [answer.status, answer.body];
      expect(kept.get(operation) ?? result).toEqual(result);
      kept.set(operation, result);
    }
  }
}

describe.skipIf(!haveRedis)("the ledger", () => {
  let server: RedisServer;
  let client: TestClient;
  let connection: Connection;
  beforeAll(async () => {
    server = await startRedis();
    client = await clientOf(server.url());
    connection = openConnection(server.url());
  });
  afterAll(async () => {
    connection.close();
    client.destroy();
    await server.stop();
  });

  it("answers the same in Redis and in memory, begins nothing twice and keeps what it has", { timeout: 60_000 }, async () => {
    const redis = redisCalls(keysOf(), connection.send, connection.send);
    await fc.assert(
      fc.asyncProperty(fc.array(action, { minLength: 1, maxLength: 20 }), async (actions) => {
        await client.flushAll();
        const memory = createMemoryCalls();
        const inRedisOf = await handedOut(redis, redisFront(keysOf(), connection.send, connection.send));
        const inMemoryOf = await handedOut(memory.calls, memory.front);
        const answers: unknown[] = [];
        for (const given of actions) {
          const [inRedis, inMemory] = [await perform(redis, inRedisOf(given)), await perform(memory.calls, inMemoryOf(given))];
          expect(inRedis).toEqual(inMemory);
          answers.push(inRedis);
        }
        checkHistory(actions, answers);
      }),
      { numRuns: 150 },
    );
  });
});
