import { array, assert, asyncProperty, constantFrom, dictionary, integer, letrec, oneof, option, record, string, tuple } from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { redactEvent, type EventParts } from "../../src/audit/redact.ts";
import type { JsonObject, JsonValue } from "../../src/call/json.ts";

/** Few secrets, so that the same one stands in keys, values, names and texts, in one event and in the next. */
const SECRETS = [
  "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
  "AKIAIOSFODNN7EXAMPLE",
  "hunter2-Correct-Horse",
  "Bearer abcdefghijklmnopqrstuvwxyz01",
];
const secret = constantFrom(...SECRETS);
/** Harmless by itself. */
const beginning = secret.map((one) => one.slice(0, 8));
const word = constantFrom("hello", "list files", "", "日本語", "the password is", "/tmp/x", "true", "[REDACTED]");
const text = oneof(
  word,
  secret,
  beginning,
  tuple(constantFrom("password=", "token: ", 'api_key="', "PGPASSWORD=", "user="), secret).map((parts) => parts.join("")),
  secret.map((one) => `curl -H "Authorization: ${one}" https://user:${one}@host/`),
  tuple(secret, constantFrom("base64", "hex") as ReturnType<typeof constantFrom<BufferEncoding[]>>).map(([one, how]) =>
    Buffer.from(`to ${one}`).toString(how),
  ),
  tuple(constantFrom("password", "note", "value"), secret).map(([key, one]) => JSON.stringify({ name: "API_TOKEN", [key]: one })),
);
const key = oneof(
  constantFrom(
    "name",
    "value",
    "key",
    "id",
    "field",
    "password",
    "token",
    "Authorization",
    "max_tokens",
    "cwd",
    "path",
    "args",
    "session_id",
  ),
  constantFrom("__proto__", "constructor", "a/b", "a~b", "ключ"),
  secret,
  beginning,
  secret.map((one) => `${one}=x`),
  string({ maxLength: 100 }),
);
const { object } = letrec<{ value: JsonValue; object: JsonObject }>((tie) => ({
  value: oneof({ depthSize: "small" }, text, integer(), constantFrom(null, true), array(tie("value"), { maxLength: 3 }), tie("object")),
  object: dictionary(key, tie("value"), { maxKeys: 4 }) as never,
}));
const event = record({ given: object, rest: object, name: text, message: text, result: option(object, { nil: undefined }) }).map(
  ({ given, rest, name, message, result }): EventParts => {
    const args = Object.entries(given).map(([one, item]) => `${one}=${typeof item === "string" ? item : JSON.stringify(item)}`);
    const agent = { id: name, session_id: "mcp-1" };
    const input = {
      agent,
      args: args.toSorted((a, b) => (a < b ? -1 : 1)),
      arguments: given,
      command: name,
      context: rest,
      session_id: name,
    };
    return { input, result: { allow: false, deny_reason: message, ...result } };
  },
);

describe("what the redactor remembers of earlier events", () => {
  it("changes nothing: one that has seen them erases what one erases that has not", async () => {
    await assert(
      asyncProperty(array(event, { minLength: 1, maxLength: 6 }), async (events) => {
        for (const parts of events) redactEvent(parts);
        const last = events.at(-1) as EventParts;
        const before = JSON.stringify(last);
        vi.resetModules();
        const cold = await import("../../src/audit/redact.ts");
        expect(redactEvent(last)).toEqual(cold.redactEvent(last));
        expect(JSON.stringify(last)).toBe(before);
      }),
      { numRuns: 150 },
    );
  }, 120_000);

  it("leaves no secret where the caller wrote it, whether it was seen in a harmless place before or not", () => {
    for (const one of SECRETS.slice(0, 2)) {
      const places: JsonObject[] = [{ [one]: 1 }, { name: one }, { note: [one] }, { [`${one}=x`]: one }, { text: `see ${one}` }];
      for (const given of [...places, ...places]) {
        const { input } = redactEvent({ input: { arguments: given, args: [] } });
        expect(JSON.stringify(input)).not.toContain(one);
      }
    }
  });
});
