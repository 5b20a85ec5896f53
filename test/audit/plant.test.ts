import { readFileSync } from "node:fs";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { redactLine } from "../../src/audit/redact-line.ts";
import { redactText } from "../../src/audit/redact.ts";
import type { JsonObject } from "../../src/call/json.ts";
import { eventsOf, linesOf, openLog, outcomeOf, recordOf } from "./kit.ts";

const SECRET = "EXAMPLE-s3cr3t/+4711";
const base64 = (text: string): string => Buffer.from(text).toString("base64");
const base64url = (text: string): string => Buffer.from(text).toString("base64url");
const hex = (text: string): string => Buffer.from(text).toString("hex");

/** Every spelling of the secret that a reader of the log could undo. */
const SPELLINGS = [
  SECRET,
  encodeURIComponent(SECRET),
  JSON.stringify(SECRET).slice(1, -1),
  hex(SECRET),
  ...[0, 1, 2].flatMap((shift) => innerBase64(SECRET, shift)),
];

/** The part of a base64 text that a secret determines alone, when it begins `shift` bytes into a group. */
function innerBase64(secret: string, shift: number): string[] {
  const encoded = base64("x".repeat(shift) + secret).slice(shift === 0 ? 0 : 4, -4);
  return [encoded, encoded.replaceAll("+", "-").replaceAll("/", "_")];
}

/** One secret in the places where redactors were seen to miss it (trial E05). */
const PLACES: Record<string, JsonObject> = {
  "by name": { password: SECRET },
  "by name, deep": { a: [{ b: { client_secret: SECRET } }] },
  "by name, as a list": { tokens: [SECRET, { x: SECRET }] },
  "in a URL": { url: `https://u:${SECRET}@host.example/` },
  "in a query": { url: `https://host.example/?access_token=${SECRET}&x=1` },
  "in nested JSON": { headers: JSON.stringify({ authorization: `Bearer ${SECRET}` }) },
  "in JSON in JSON": { body: JSON.stringify({ inner: JSON.stringify({ password: SECRET }) }) },
  "in JSON inside a command": { command: `curl -d '{"password":"${SECRET}"}' https://h` },
  "in escaped JSON inside a command": { command: `curl -d "{\\"password\\":\\"${SECRET}\\"}" https://h` },
  "as key=value": { text: `first line\npassword=${SECRET}\n` },
  "as an option": { command: `mysql --password ${SECRET} -e 'select 1'` },
  "as a header": { command: `curl -H 'Authorization: Bearer ${SECRET}' https://h` },
  "as basic credentials": { headers: { note: `Basic ${base64(`user:${SECRET}`)}` } },
  "in base64": { data: base64(`password=${SECRET}`) },
  "in base64url": { data: `x.${base64url(JSON.stringify({ token: SECRET }))}.y` },
  "in hex": { data: hex(`token: ${SECRET}`) },
  "percent-encoded": { next: encodeURIComponent(`https://u:${SECRET}@host/`) },
  "as a connection string": { dsn: `Server=db;User=sa;Password=${SECRET};Timeout=3` },
  "as a name": { [`password=${SECRET}`]: 1 },
  "as the value beside its name": { env: [{ name: "API_TOKEN", value: SECRET }], key: "password", value: SECRET },
  "as the value beside its name, in JSON": { body: JSON.stringify([{ Header: "Authorization", Val: SECRET }]) },
  "as a copy": { password: SECRET, note: `call with ${SECRET} please`, encoded: base64(`me:${SECRET}`) },
};

describe("one secret, many places: nothing of it is in the file, and what was erased is listed", () => {
  test.each(Object.keys(PLACES))("%s", (place) => {
    const { log, file } = openLog();
    const args = PLACES[place] as JsonObject;
    const strings = Object.keys(args)
      .toSorted()
      .map((key) => `${key}=${typeof args[key] === "string" ? args[key] : JSON.stringify(args[key])}`);
    const message = `refused because of password=${SECRET}`;
    const decision = {
      allow: false,
      reasons: [{ code: "a", rule: "b", message }],
      deny_reason: message,
      effect: "none",
      confirm: "none",
    } as const;
    const refusal = { stage: "policy", code: "policy.denied", text: "x", retryable: false } as const;
    log.decision(recordOf({ arguments: args, args: strings }, { verdict: { admitted: false, refusal, decision } }));
    log.outcome(outcomeOf({ facts: args, tool: `password=${SECRET}` }));
    const written = readFileSync(file, "utf8");
    for (const spelling of SPELLINGS) expect(written).not.toContain(spelling);
    const [event] = eventsOf(file);
    expect(event?.erased).toEqual(
      expect.arrayContaining([expect.stringMatching(/^\/input\/arguments\//), expect.stringMatching(/^\/input\/args\//)]),
    );
    // A second pass finds nothing more: lines leave as they are, with hashes that can be checked.
    for (const line of linesOf(file)) expect(redactLine(line)).toBe(line);
    for (const spelling of SPELLINGS) expect(redactText(JSON.stringify(args))).not.toContain(spelling);
  });
});

test("a line that was written without redaction is redacted on its way out", () => {
  const line = JSON.stringify({
    path: "gate/decision",
    input: { arguments: { password: SECRET, a: 1 } },
    custom: { regate: { seq: 1, note: `token=${SECRET}` } },
  });
  expect(redactLine(line)).toBe(
    '{"custom":{"regate":{"note":"token=[REDACTED]","seq":1}},"input":{"arguments":{"a":1}},"path":"gate/decision"}',
  );
  expect(redactLine(`not json: password=${SECRET}`)).toBe("not json: password=[REDACTED]");
  expect(redactLine('{"cut')).toBe("[REDACTED]");
});

test("redacting twice changes nothing more, whatever the text", () => {
  const piece = fc.oneof(
    fc.constantFrom(
      "password",
      "token",
      "authorization",
      "cookie",
      "key",
      "=",
      ": ",
      " ",
      '"',
      "'",
      "\\",
      '\\"',
      "{",
      "}",
      "[",
      "]",
      ",",
      ";",
      "&",
      "\n",
      "--",
      "-u",
      "://",
      "@",
      "bearer ",
      "basic ",
      "$",
      "mysql -p",
    ),
    fc.constantFrom("hunter2", "Hunter-2-Long", `ghp_${"a1B2".repeat(9)}`, base64("password=hunter2"), "[REDACTED]", "%41"),
    fc.string({ maxLength: 6 }),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
      const once = redactText(pieces.join(""));
      expect(redactText(once)).toBe(once);
    }),
    { numRuns: 2000 },
  );
}, 60_000);
