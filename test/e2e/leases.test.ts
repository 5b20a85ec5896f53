import { chmodSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "./client.ts";
import type { Answer } from "./client.ts";
import { operatorOf, supervised } from "./human.ts";

const BUNDLE = ["--bundle", "agent-session"] as const;
/** Of every kind of character that encodings treat in their own way. */
const SECRET = "EXAMPLE+Secret/9f\"8_ü='x";
const bytes = Buffer.from(SECRET, "utf8");

/** Every form in which the secret must stand nowhere. */
const FORMS = [
  SECRET,
  JSON.stringify(SECRET).slice(1, -1),
  bytes.toString("base64").slice(0, -3),
  bytes.toString("base64url").slice(0, -3),
  bytes.toString("hex"),
  bytes.toString("hex").toUpperCase(),
  encodeURIComponent(SECRET),
  bytes.toString("hex").replaceAll(/../g, "%$&"),
  Buffer.from(`x${SECRET}y`).toString("base64").slice(3, -4),
  Buffer.from(`xy${SECRET}y`).toString("base64").slice(4, -4),
];

/** Everything in a folder, and in those below it. */
function textIn(folder: string): string {
  return readdirSync(folder)
    .map((name) => join(folder, name))
    .map((path) => (statSync(path).isDirectory() ? textIn(path) : readFileSync(path, "utf8")))
    .join("\n");
}

function formsIn(text: string): readonly string[] {
  return FORMS.filter((form) => text.includes(form));
}

/** Whether the secret stands in what a command wrote, whatever quotes, blanks and cases it has there, and whatever follows the first part. */
function bareIn({ structured }: Answer): boolean {
  const written = `${String(structured?.["stdout"])}${String(structured?.["stderr"])}`.replaceAll("&#34;", "");
  return /example\+(?:secret\/9f8_|s$)|secret\/9f8_/.test(written.toLowerCase().replaceAll(/[^a-z0-9+/_=]/g, ""));
}

/** Ways in which a command may print a variable. */
const PRINTS = [
  'printf %s "$TOKEN"',
  'printf "%s\\n" "a $TOKEN b" >&2',
  'printf %s "$TOKEN" | base64',
  'printf %s "$TOKEN" | base64 -w 0 | tr "+/" "-_"',
  'printf %s "x$TOKEN" | base64',
  'printf %s "xy$TOKEN" | base64',
  'printf %s "user:$TOKEN" | base64 -w 0; printf "AAAA"',
  'printf %s "$TOKEN" | od -An -v -tx1 | tr -d " \\n"',
  'printf %s "$TOKEN" | od -An -v -tx1 | tr -d " \\n" | tr a-f A-F',
  'printf %s "$TOKEN" | od -An -v -tx1 | tr -d "\\n" | sed "s/ /%/g"',
  `${process.execPath} -e 'console.log(JSON.stringify({t: process.env.TOKEN}), encodeURIComponent(process.env.TOKEN), new URLSearchParams({t: process.env.TOKEN}).toString())'`,
  "env",
  "export -p",
  'set -x; : "$TOKEN"',
  'printf "%q\\n" "$TOKEN"; echo "${TOKEN@Q}" "${TOKEN@A}"; declare -p TOKEN',
  'ls "$TOKEN"; cat "/none/$TOKEN"; "$TOKEN"',
  'printf %s "${TOKEN^^}" "${TOKEN,,}"',
  'printf %s "$TOKEN" | fold -w 5',
  'printf %s "$TOKEN" | base64 -w 8; printf %s "$TOKEN" | od -An -v -tx1 -w4',
  `${process.execPath} -e 'const t = process.env.TOKEN; console.log({ [t]: [t] }); console.log(JSON.stringify(JSON.stringify({ [t]: t })))'`,
  `${process.execPath} -e 'console.log(process.env.TOKEN.replace(/["<>&\\x27]/g, (c) => "&#" + c.charCodeAt(0) + ";"))'`,
  'printf %s "${TOKEN:0:9}"; kill -9 $$',
  'head -c 65500 /dev/zero | tr "\\0" x; printf %s "$TOKEN$TOKEN$TOKEN"',
  'for n in 65513 65525 65530; do head -c $n /dev/zero | tr "\\0" x | head -c $n; printf %s "$TOKEN"; done',
];

describe("a lease", () => {
  it.each([["env"], ["file"]])("of a secret in %s: the command has it, and it stands nowhere else (E05)", async (kind) => {
    const file = join(temporaryFolder(), "secret");
    writeFileSync(file, `${SECRET}\n`, { mode: 0o600 });
    const { session, operator, sessionId } = await supervised(BUNDLE, { env: { DEPLOY: SECRET } });
    const source = kind === "env" ? "env:DEPLOY" : `file:${file}`;
    const length = { command: 'printf %s "${#TOKEN}"; test -z "$DEPLOY" && echo " none"' };
    expect((await session.call("run_shell", length)).structured).toMatchObject({ stdout: "0 none\n" });
    const id = operator.sign("lease", "grant", "--session", sessionId, "--from", source, "--as", "TOKEN");
    const answers: Answer[] = [await session.call("run_shell", length)];
    // Bash counts bytes or characters, as the locale has it.
    expect(String(answers[0]?.structured?.["stdout"])).toMatch(/^2[45] none\n$/);
    for (const command of PRINTS) {
      const answer = await session.call("run_shell", { command });
      expect([command, formsIn(`${answer.text}${String(answer.structured?.["stdout"])}`)]).toEqual([command, []]);
      expect([command, bareIn(answer)]).toEqual([command, false]);
      answers.push(answer);
    }
    expect(JSON.stringify(answers)).toContain("[REDACTED]");
    // An agent that knows it nevertheless cannot have it written down.
    answers.push(await session.call("run_shell", { command: `echo '${SECRET.replaceAll("'", "")}${SECRET.replaceAll("'", "'\\''")}'` }));
    answers.push(await session.call("list_sessions", { token: SECRET }));
    answers.push(await session.call("run_shell", { command: `echo ${bytes.toString("hex")}` }));
    answers.push(await session.call("audit_log", { limit: 1_000 }));
    const stored = textIn(session.stateDir);
    expect(formsIn(stored)).toEqual([]);
    expect(
      formsIn(
        answers
          .filter((_, index) => index !== answers.length - 4 && index !== answers.length - 2)
          .map(({ text }) => text)
          .join("\n"),
      ),
    ).toEqual([]);
    expect(formsIn(session.stderr())).toEqual([]);
    const event = session.events().find(({ input }) => (input as { lease?: unknown } | undefined)?.lease !== undefined);
    expect(event?.["input"]["lease"]).toEqual({
      id,
      source_type: kind,
      source_name: source.slice(kind.length + 1),
      destination: "TOKEN",
      ttl_seconds: 300,
    });
    const outcome = session.events().find((logged) => logged["custom"].regate.outcome?.facts?.leases !== undefined);
    expect(outcome?.["custom"].regate.outcome.facts.leases).toEqual([id]);
  });

  it("ends when it is revoked or expires, and holds for its session alone", async () => {
    const { session, operator, sessionId } = await supervised(BUNDLE, { env: { DEPLOY: SECRET } });
    const holds = async () => (await session.call("run_shell", { command: 'test -n "$TOKEN"' })).structured?.["exit_code"] === 0;
    const grant = ["lease", "grant", "--from", "env:DEPLOY", "--as", "TOKEN"];
    operator.sign(...grant, "--session", "mcp-1000000000000000000");
    expect(await holds()).toBe(false);
    const id = operator.sign(...grant, "--session", sessionId);
    expect(await holds()).toBe(true);
    operator.sign("lease", "revoke", id);
    expect(await holds()).toBe(false);
    for (let seconds = 2, seen = false; !seen; seconds *= 2) {
      // Seen in force, unless it ended before the answer came: then a longer one is.
      const start = Date.now();
      operator.sign(...grant, "--session", sessionId, "--ttl", `${seconds}s`);
      const has = await holds();
      seen = Date.now() < start + seconds * 1_000;
      if (seen) expect(has).toBe(true);
    }
    const states = (): readonly string[] =>
      (JSON.parse(operator.run("lease", "list", "--json").stdout) as { state: string }[]).map(({ state }) => state);
    expect(states().slice(0, 2)).toEqual(["active", "revoked"]);
    await expect.poll(() => new Set(states().slice(2))).toEqual(new Set(["expired"]));
    expect(await holds()).toBe(false);
  });

  it("without its secret nothing runs, and the answer names neither source nor path", async () => {
    const folder = temporaryFolder();
    const { session, operator, sessionId } = await supervised(BUNDLE, { env: { EMPTY: "", SHORT: "1234567" } });
    const file = join(folder, "secret-file");
    const cases: [string, () => void][] = [
      ["env:MISSING", () => undefined],
      ["env:EMPTY", () => undefined],
      ["env:SHORT", () => undefined],
      [`file:${join(folder, "none")}`, () => undefined],
      [`file:${folder}`, () => undefined],
      [`file:${file}`, () => (writeFileSync(file, `${SECRET}\0${SECRET}`, { mode: 0o600 }), undefined)],
      [`file:${file}`, () => (writeFileSync(file, Buffer.from([0x41, 0xff, ...bytes])), undefined)],
      [`file:${file}`, () => (writeFileSync(file, SECRET), chmodSync(file, 0o640))],
      [`file:${join(folder, "link")}`, () => (chmodSync(file, 0o600), symlinkSync(file, join(folder, "link")))],
      [`file:${file}`, () => writeFileSync(file, "x".repeat(65_537))],
    ];
    for (const [source, prepare] of cases) {
      prepare();
      const id = operator.sign("lease", "grant", "--session", sessionId, "--from", source, "--as", "TOKEN");
      const answer = await session.call("run_shell", { command: "touch made" });
      expect(answer, source).toMatchObject({ isError: true, code: "call.failed" });
      expect(answer.text).toMatch(new RegExp(`^run_shell: the secret of lease \`${id}\` .*, nothing was executed$`));
      for (const hidden of [folder, "secret-file", "MISSING", "EMPTY", "SHORT", SECRET]) expect(answer.text).not.toContain(hidden);
      operator.sign("lease", "revoke", id);
    }
    expect((await session.call("run_shell", { command: "ls" })).structured).toMatchObject({ stdout: "" });
  });

  it("whose file was changed, or is none, grants nothing and is named once", async () => {
    const { session, operator, sessionId } = await supervised(BUNDLE, { env: { DEPLOY: SECRET } });
    const id = operator.sign("lease", "grant", "--session", "mcp-1000000000000000000", "--from", "env:DEPLOY", "--as", "TOKEN");
    const file = join(session.stateDir, "leases", `${id}.json`);
    const text = readFileSync(file, "utf8");
    const other = join(session.stateDir, "leases", `${"a".repeat(32)}.json`);
    const changed = [
      text.replace("mcp-1000000000000000000", sessionId),
      text.replace("}", ', "planted": "EXAMPLE-PLANTED"}'),
      "{",
      text.slice(0, 60),
    ];
    for (const content of changed) {
      writeFileSync(other, content.replace(id, "a".repeat(32)), { mode: 0o600 });
      writeFileSync(file, content, { mode: 0o600 });
      expect((await session.call("run_shell", { command: 'echo "${#TOKEN}"' })).structured).toMatchObject({ stdout: "0\n" });
      const listed = operator.run("lease", "list", "--json");
      expect([listed.status, listed.stdout]).toEqual([1, "[]\n"]);
      expect(listed.stderr).not.toContain("EXAMPLE-PLANTED");
    }
    await expect.poll(() => session.stderr().match(/is not a lease: it grants nothing/g)).toHaveLength(2);
  });
});

describe("regate lease", () => {
  const GRANT = ["lease", "grant", "--session", "s", "--reason", "r", "--key", "anna"] as const;

  it.each([
    [[...GRANT, "--as", "TOKEN"], "`--from` is missing"],
    [[...GRANT, "--from", "env:A"], "`--as` is missing"],
    [[...GRANT, "--from", "vault:a", "--as", "TOKEN"], "`--from`: `vault:a` must be `env:NAME` or `file:/absolute/path`"],
    [[...GRANT, "--from", "file:a", "--as", "TOKEN"], "must be `env:NAME`"],
    [[...GRANT, "--from", "env:A-B", "--as", "TOKEN"], "must be `env:NAME`"],
    [[...GRANT, "--from", "env:A", "--as", "TOKEN", "--ttl", "0s"], "`--ttl`: `0s` must be a time"],
    ...[
      "PATH",
      "LD_PRELOAD",
      "BASH_ENV",
      "NODE_OPTIONS",
      "PYTHONPATH",
      "GIT_SSH_COMMAND",
      "HOME",
      "REGATE_AGENT_CHILD",
      "XDG_CONFIG_HOME",
      "BASH_LOADABLES_PATH",
      "VIMINIT",
      "PSQLRC",
      "TF_CLI_ARGS",
      "SSL_CERT_FILE",
      "PIP_INDEX_URL",
      "NODE_TLS_REJECT_UNAUTHORIZED",
      "PS4",
      "a b",
      "A=B",
      "",
    ].map((name): [string[], string] => [[...GRANT, "--from", "env:A", `--as=${name}`], "`--as`"]),
    [["lease", "revoke", "--reason", "r", "--key", "anna"], "the id of the lease is missing"],
    [["lease", "revoke", "A".repeat(32), "--reason", "r", "--key", "anna"], "is no id of a lease: give 32 lower-case hex digits"],
    [
      ["lease", "grant", "--session", "a b", "--from", "env:A", "--as", "TOKEN", "--reason", "r", "--key", "anna"],
      "`a b` is no id of a session",
    ],
  ])("%j is exit code 2 with one line", (words, line) => {
    const ended = operatorOf(join(temporaryFolder(), "state")).run(...words);
    expect([ended.status, ended.stdout, ended.lines.length]).toEqual([2, "", 1]);
    expect(ended.stderr).toContain(line);
  });

  it.each(["GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY", "NPM_TOKEN", "CARGO_REGISTRY_TOKEN", "PGPASSWORD", "GOOGLE_API_KEY", "MAILGUN_KEY"])(
    "%s may hold a secret",
    (name) => {
      const { run } = operatorOf(join(temporaryFolder(), "state"));
      expect(run(...GRANT, "--from", "env:A", "--as", name)).toMatchObject({
        status: 0,
        stdout: expect.stringContaining(`gives \`${name}\``),
      });
    },
  );

  it("an unknown lease is exit code 1", () => {
    const { run } = operatorOf(join(temporaryFolder(), "state"));
    const id = "a".repeat(32);
    expect(run("lease", "revoke", id, "--reason", "r", "--key", "anna")).toMatchObject({
      status: 1,
      lines: [`regate: no lease has the id \`${id}\``],
    });
  });
});
