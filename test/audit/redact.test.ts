import { describe, expect, test } from "vitest";
import type { JsonObject, JsonValue } from "../../src/call/json.ts";
import { redactEvent, redactJson, redactText } from "../../src/audit/redact.ts";

const SECRET = "EXAMPLE-SECRET-4711";

function inputOf(args: JsonObject, more: JsonObject = {}): JsonObject {
  const strings = Object.keys(args)
    .toSorted()
    .map((key) => `${key}=${typeof args[key] === "string" ? args[key] : JSON.stringify(args[key])}`);
  return { session_id: "mcp-1", agent: { id: "a", session_id: "mcp-1" }, command: "api__post", args: strings, arguments: args, ...more };
}

describe("secret names", () => {
  const names = [
    "password", "Password", "PASSWORD", "passwd", "db_password", "dbPassword", "user-password", "password2", "passphrase", "secret", "client_secret", "clientSecret",
    "secrets", "SecretString", "secret_value", "token", "TOKEN", "access_token", "accessToken", "refresh-token", "tokens", "api_key", "apikey", "apiKey", "API-Key", "x-api-key",
    "X_Api_Key", "access_key", "accessKey", "aws_secret_access_key", "secretAccessKey", "private_key", "privateKey", "PRIVATE KEY", "authorization", "Authorization",
    "Proxy-Authorization", "credential", "credentials", "AWS_CREDENTIALS", "cookie", "Cookie", "Set-Cookie", "DB_PASS", "pass", "auth", "_auth", "_authToken", "jwt", "otp",
    "encryption_key", "AccountKey", "ｐａｓｓｗｏｒｄ", "my.password", "signing_key",
  ]; // prettier-ignore

  test.each(names)("`%s` is erased at any depth, from arguments and args alike", (name) => {
    const { input, erased } = redactEvent({ input: inputOf({ a: { b: [{ [name]: SECRET, kept: "yes" }] }, [name]: SECRET }) });
    expect(JSON.stringify(input)).not.toContain(SECRET);
    expect(input["arguments"]).toEqual({ a: { b: [{ kept: "yes" }] } });
    expect(erased).toContain(`/input/arguments/${name}`);
    expect(erased).toContain(`/input/arguments/a/b/0/${name}`);
  });

  test.each(
    [
      [
        "path",
        "bypass",
        "compass",
        "author",
        "token_file",
        "secret_name",
        "keyboard",
        "monkey",
        "max_tokens_note",
        "session_id",
        "agent_id",
        "command_key",
        "public_key",
        "passenger",
      ],
    ].flat(),
  )("`%s` is not", (name) => {
    const input = inputOf({ [name]: "plain value" });
    expect(redactEvent({ input })).toEqual({ input, erased: [], masked: [] });
  });

  test("values that can hold no secret stay", () => {
    const input = inputOf({ use_token: true, password: null, secret: "", max_tokens: 4096, pwd: "/srv/app" });
    expect(redactEvent({ input }).input).toEqual(input);
    expect(redactEvent({ input: inputOf({ password: 12_345_678 }) }).erased).toEqual(["/input/args/0", "/input/arguments/password"]);
  });

  test("names such as `__proto__` and `constructor` are plain data", () => {
    const args = JSON.parse(`{"__proto__":{"password":"${SECRET}","x":1},"constructor":{"token":"${SECRET}"}}`) as JsonObject;
    const { input } = redactEvent({ input: inputOf(args) });
    expect(JSON.stringify(input["arguments"])).toBe('{"__proto__":{"x":1},"constructor":{}}');
    expect(JSON.stringify(input)).not.toContain(SECRET);
  });

  test("a name that is itself a secret goes with its value", () => {
    const token = `ghp_${"a1B2".repeat(9)}`;
    const { input, erased } = redactEvent({ input: inputOf({ [token]: 1, b: 2 }) });
    expect(input["arguments"]).toEqual({ b: 2 });
    expect(input["args"]).toEqual(["b=2", "[REDACTED]=[REDACTED]"]);
    expect(erased).toEqual(["/input/args/1", "/input/arguments/[REDACTED]"]);
  });
});

describe("what is listed", () => {
  test("`erased` names every place, `masked` those where a marker stands (trial E05)", () => {
    const headers = JSON.stringify({ authorization: `Bearer ${SECRET}`, accept: "json" });
    const { input, erased, masked } = redactEvent({
      input: inputOf({ url: `https://u:${SECRET}@host.example/`, headers, password: SECRET }),
    });
    expect(input["arguments"]).toEqual({ url: "https://[REDACTED]@host.example/", headers: '{"accept":"json"}' });
    expect(input["args"]).toEqual(['headers={"accept":"json"}', "password=[REDACTED]", "url=https://[REDACTED]@host.example/"]);
    expect(erased).toEqual([
      "/input/args/0",
      "/input/args/1",
      "/input/args/2",
      "/input/arguments/headers",
      "/input/arguments/password",
      "/input/arguments/url",
    ]);
    expect(masked).toEqual(["/input/args/0", "/input/args/1", "/input/args/2", "/input/arguments/headers", "/input/arguments/url"]);
  });

  test("segments are escaped as RFC 6901 says", () => {
    expect(redactEvent({ input: inputOf({ "a/b~c": { token: "x1" } }) }).erased).toContain("/input/arguments/a~1b~0c/token");
  });

  test("the caller's objects are never changed", () => {
    const input = inputOf({ password: SECRET, nested: { list: [`token=${SECRET}`] } });
    const before = JSON.stringify(input);
    redactEvent({ input });
    expect(JSON.stringify(input)).toBe(before);
  });

  test("claim fields are never redacted, whatever they look like", () => {
    const token = `ghp_${"a1B2".repeat(9)}`;
    const input = {
      session_id: `password=${SECRET}`,
      agent: { id: token, session_id: token, kind: "mcp" },
      arguments: { note: token },
      args: [`note=${token}`],
    };
    const redacted = redactEvent({ input }).input;
    expect(redacted).toEqual({ ...input, arguments: { note: "[REDACTED]" }, args: ["note=[REDACTED]"] });
  });

  test("what Regate says about the call cannot be made to disappear by naming it as a secret", () => {
    const facts = {
      agent: { id: "a", session_id: "s", risk: "destructive-1" },
      command: "run_shell-1",
      shell: { findings: [{ rule: "rm-rf-1", verdict: "destructive-1", word: "rm" }] },
    };
    const { input } = redactEvent({ input: inputOf({ password: "destructive-1", token: "run_shell-1", secret: "rm-rf-1" }, facts) });
    expect(input).toMatchObject(facts);
  });

  test("an innocent path or word that is also given as a password stays readable elsewhere", () => {
    const { input } = redactEvent({
      input: inputOf({ password: "/etc/Shadow-1", path: "/etc/Shadow-1", token: "production", where: "production" }),
    });
    expect(input["arguments"]).toEqual({ path: "/etc/Shadow-1", where: "production" });
  });

  test("reasons of the policy are redacted, its decision is not", () => {
    const result = {
      allow: false,
      reasons: [{ code: "x.y", rule: "r", message: `refused password=${SECRET}` }],
      deny_reason: `copy ${SECRET}`,
    };
    const redacted = redactEvent({ input: inputOf({}), result });
    expect(redacted.result).toEqual({
      allow: false,
      reasons: [{ code: "x.y", rule: "r", message: "refused password=[REDACTED]" }],
      deny_reason: "copy [REDACTED]",
    });
    expect(redacted.erased).toEqual(["/result/deny_reason", "/result/reasons/0/message"]);
  });
});

describe("words of commands", () => {
  const commands = (argv: JsonValue[]): JsonObject => ({ shell: { commands: [{ name: argv[0] ?? "", argv, via: [] }] } });
  test.each<[string[], string[]]>([
    [
      ["mysql", "--password", "x1"],
      ["mysql", "--password", "[REDACTED]"],
    ],
    [
      ["tool", "--password=x1"],
      ["tool", "--password=[REDACTED]"],
    ],
    [
      ["curl", "-u", "me:x1", "https://h"],
      ["curl", "-u", "me:[REDACTED]", "https://h"],
    ],
    [
      ["sshpass", "-p", "x1", "ssh", "h"],
      ["sshpass", "-p", "[REDACTED]", "ssh", "h"],
    ],
    [
      ["/usr/bin/sshpass", "-px1", "ssh"],
      ["/usr/bin/sshpass", "-p[REDACTED]", "ssh"],
    ],
    [
      ["mysql", "-px1", "-u", "root"],
      ["mysql", "-p[REDACTED]", "-u", "root"],
    ],
    [
      ["docker", "login", "-p", "x1"],
      ["docker", "login", "-p", "[REDACTED]"],
    ],
    [
      ["docker", "run", "-p", "80:80"],
      ["docker", "run", "-p", "80:80"],
    ],
    [
      ["redis-cli", "-a", "x1"],
      ["redis-cli", "-a", "[REDACTED]"],
    ],
    [
      ["env", "DB_PASSWORD=x1", "prog"],
      ["env", "DB_PASSWORD=[REDACTED]", "prog"],
    ],
    [
      ["cmd", "--password", "--force"],
      ["cmd", "--password", "--force"],
    ],
  ])("%j", (argv, expected) => {
    const { input } = redactEvent({ input: inputOf({}, commands(argv)) });
    expect(input["shell"]).toEqual(commands(expected)["shell"]);
  });
});

test("redactJson redacts by name, in strings and copies, below the pointer it is given", () => {
  const { value, erased } = redactJson({ token: SECRET, line: `copy of ${SECRET}`, exit_code: 0 }, ["custom", "facts"]);
  expect(value).toEqual({ line: "copy of [REDACTED]", exit_code: 0 });
  expect(erased).toEqual(["/custom/facts/line", "/custom/facts/token"]);
});

test("what cannot be looked through is a failure with a code, not a leak", () => {
  let deep: JsonValue = "x";
  for (let level = 0; level < 400; level += 1) deep = [deep];
  expect(() => redactEvent({ input: inputOf({ deep }) })).toThrow(expect.objectContaining({ code: "audit.redaction_failed" }));
  const large = "word ".repeat(8 * 1024 * 1024);
  expect(() => redactEvent({ input: { arguments: { large } } })).toThrow(expect.objectContaining({ code: "audit.redaction_failed" }));
  expect(redactText(large)).toBe("[REDACTED]");
});

test("JSON in a string that is nested too deep is erased whole, the event stays", () => {
  const deep = `${"[".repeat(5000)}"password"${"]".repeat(5000)}`;
  expect(redactEvent({ input: inputOf({ deep, b: 1 }) }).input["arguments"]).toEqual({ deep: "[REDACTED]", b: 1 });
});

test("a secret member may be a list of any length", () => {
  const many = Array.from({ length: 300_000 }, () => 0);
  expect(redactJson({ token: many, a: 1 })).toEqual({ value: { a: 1 }, erased: ["/token"], masked: [] });
});
