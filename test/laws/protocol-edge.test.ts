import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { JsonValue } from "../../src/call/json.ts";
import { createLineSplitter } from "../../src/wire/framing.ts";
import { isExactNumber } from "../../src/wire/json-number.ts";
import { parseJson, pathOf } from "../../src/wire/json-source.ts";
import { screenLine } from "../../src/server/screen.ts";
import { openKit, recordingCorridor, type Message } from "../server/edge-kit.ts";

const RUNS = { numRuns: 2_000 };

/** Keys that a careless parser treats specially, beside ordinary ones. */
const key = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom("__proto__", "constructor", "toString", "id", "name", "arguments", "0", "01", ""),
);
const value = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom(null, true, false),
    fc.string({ unit: "binary" }),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.integer(),
    fc.array(tie("value")),
    fc.dictionary(key, tie("value")) as fc.Arbitrary<JsonValue>,
  ),
})).value;

test("bytes in any chunks give the same lines", () => {
  const lines = fc.array(fc.uint8Array({ maxLength: 40 }).map((bytes) => bytes.filter((byte) => byte !== 10)));
  fc.assert(
    fc.property(lines, fc.array(fc.nat(50)), (sent, cuts) => {
      const bytes = Buffer.concat(sent.flatMap((line) => [line, Buffer.from("\n")]));
      const got: string[] = [];
      const splitter = createLineSplitter(20, {
        onLine: (line) => void got.push(Buffer.from(line).toString("hex")),
        onTooLong: () => void got.push("long"),
      });
      let at = 0;
      for (const cut of cuts) splitter.push(bytes.subarray(at, (at += cut)));
      splitter.push(bytes.subarray(at));
      splitter.end();
      expect(got).toEqual(sent.map((line) => (line.length > 20 ? "long" : Buffer.from(line).toString("hex"))));
    }),
    RUNS,
  );
});

test("whatever JSON.parse takes is parsed to the same value; whatever it refuses is refused", () => {
  const text = fc.oneof(
    value.map((any) => JSON.stringify(any)),
    value.map((any) => JSON.stringify(any, null, 1)),
    fc.json({ noUnicodeString: false }),
    mangled(),
  );
  fc.assert(
    fc.property(text, (given) => {
      expect(outcome(() => parseJson(given).value)).toEqual(outcome(() => JSON.parse(given) as JsonValue));
    }),
    RUNS,
  );
});

/** The value, or that there is none. */
function outcome(parse: () => JsonValue): { value: JsonValue } | "refused" {
  try {
    return { value: parse() };
  } catch (error) {
    if (error instanceof SyntaxError) return "refused";
    throw error;
  }
}

/** JSON text with one character changed, dropped or doubled. */
function mangled(): fc.Arbitrary<string> {
  return fc
    .tuple(value, fc.nat(), fc.constantFrom("", ",", '"', "{", "}", "[", "]", "0", "-", ".", "e", "\\", " ", "\n"))
    .map(([any, position, insert]) => {
      const text = JSON.stringify(any);
      const at = position % (text.length + 1);
      return text.slice(0, at) + insert + text.slice(at + 1);
    });
}

test("JSON.stringify's text has no duplicates and no number that needs its source", () => {
  fc.assert(
    fc.property(value, (any) => {
      const parsed = parseJson(JSON.stringify(any));
      expect(parsed.duplicates).toEqual([]);
      expect(parsed.numbers.filter(({ text }) => text !== "-0")).toEqual([]);
    }),
    RUNS,
  );
});

test("a duplicate is found wherever it stands, however its key is written", () => {
  const escaped = (name: string): string =>
    `"${name.replaceAll(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)}"`;
  fc.assert(
    fc.property(fc.string(), fc.boolean(), fc.array(fc.boolean(), { maxLength: 20 }), (name, twiceEscaped, around) => {
      const second = twiceEscaped ? escaped(name) : JSON.stringify(name);
      let text = `{"x":1,${JSON.stringify(name)}:1,"y":2,${second}:3}`;
      for (const object of around) text = object ? `{"in":${text},"z":1.0}` : `[0,${text},1.0]`;
      const found = parseJson(text).duplicates.map((place) => pathOf(place).at(-1));
      expect(found).toContain(name);
    }),
    RUNS,
  );
});

test("a number is exact exactly when its decimal value is that of its double's shortest text", () => {
  const digits = fc.string({ unit: fc.constantFrom("0", "1", "2", "3", "4", "5", "6", "7", "8", "9"), minLength: 1, maxLength: 25 });
  const number = fc.record({
    sign: fc.constantFrom("", "-"),
    whole: digits,
    fraction: fc.option(digits),
    exponent: fc.option(fc.integer({ min: -30, max: 30 })),
  });
  fc.assert(
    fc.property(number, ({ sign, whole, fraction, exponent }) => {
      const integer = whole.replace(/^0+(?=\d)/, "");
      const text = `${sign}${integer}${fraction === null ? "" : `.${fraction}`}${exponent === null ? "" : `e${exponent}`}`;
      expect(isExactNumber(text)).toBe(scaled(text) === scaled(String(Number(text))));
    }),
    { numRuns: 5_000 },
  );
});

/** A decimal text times 10^400 as an integer: an independent way to compare values. */
function scaled(text: string): bigint {
  const [mantissa = "", exponent = "0"] = text.toLowerCase().split("e");
  const [whole = "", fraction = ""] = mantissa.split(".");
  return BigInt(`${whole}${fraction}`) * 10n ** BigInt(400 + Number(exponent) - fraction.length);
}

test("the screen never throws, and gives every line one verdict", () => {
  const soup = fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    value.map((any) => Buffer.from(JSON.stringify(any))),
    message().map((any) => Buffer.from(JSON.stringify(any))),
  );
  fc.assert(
    fc.property(soup, (bytes) => {
      expect(["refused", "request", "notification", "response", "dropped", "blank"]).toContain(screenLine(bytes).kind);
    }),
    RUNS,
  );
});

/** Messages that are nearly right. */
function message(): fc.Arbitrary<JsonValue> {
  const maybe = <T>(likely: T, ...others: T[]): fc.Arbitrary<T> =>
    fc.oneof({ weight: 6, arbitrary: fc.constant(likely) }, { weight: 1, arbitrary: fc.constantFrom(likely, ...others) });
  const params = fc.record(
    {
      name: maybe<JsonValue>("echo", 1, null),
      arguments: fc.oneof(value, fc.dictionary(key, value)),
      _meta: maybe<JsonValue>({}, [], null),
      Name: fc.constant("x"),
      extra: value,
    },
    { requiredKeys: ["name"] },
  );
  return fc.record(
    {
      jsonrpc: maybe<JsonValue>("2.0", "1.0", 2),
      id: fc.oneof(fc.integer(), fc.string(), fc.constantFrom(null, 1.5, true)),
      method: fc.constantFrom("tools/call", "tools/list", "ping", "server/discover", "no/such", "notifications/cancelled"),
      params: fc.oneof({ weight: 5, arbitrary: params }, { weight: 1, arbitrary: value }),
      result: value,
      Id: value,
    },
    { requiredKeys: ["jsonrpc", "method"] },
  ) as fc.Arbitrary<JsonValue>;
}

test("a connection answers every line with an id once, nothing else, and a refused line reaches no corridor", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(message(), { maxLength: 8 }), async (messages) => {
      const corridor = recordingCorridor();
      const { connection, logged } = await openKit(corridor);
      let accepted = 0;
      for (const sent of messages) {
        const line = Buffer.from(JSON.stringify(sent));
        const screened = screenLine(line);
        if (screened.kind === "request" && screened.method === "tools/call") accepted += 1;
        const answer = await connection.receive(line);
        expect(answer !== undefined).toBe(screened.kind === "request" || screened.kind === "refused");
        const { id } = sent as { id?: unknown };
        const allowed = { request: [id], refused: [id, null] }[screened.kind as string] ?? [undefined];
        expect(allowed).toContainEqual(answer && (JSON.parse(answer.json) as Message).id);
      }
      expect(corridor.calls).toHaveLength(accepted);
      expect(logged.filter((line) => line.includes("fault"))).toEqual([]);
      await connection.close();
    }),
    { numRuns: 500 },
  );
});
