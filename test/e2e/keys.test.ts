import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { connect, temporaryFolder } from "./client.ts";
import { PROGRAM, regate } from "./run.ts";

interface Places {
  readonly stateDir: string;
  readonly keysDir: string;
  readonly flags: readonly string[];
}

function places(): Places {
  const folder = temporaryFolder("regate-keys-");
  const [stateDir, keysDir] = [join(folder, "state"), join(folder, "keys")];
  return { stateDir, keysDir, flags: ["--state-dir", stateDir, "--keys-dir", keysDir] };
}

const BAN = "regate: an agent's process and what it starts decide nothing: a human does it in a shell of their own";

describe("regate keys", () => {
  it("makes a key once: the private part in a file of its own, the public part on record", () => {
    const { stateDir, keysDir, flags } = places();
    const made = regate(["keys", "create", "anna", "--owner", "anna@example.org", ...flags]);
    expect([made.status, made.stderr]).toEqual([0, ""]);
    const token = readFileSync(join(keysDir, "anna.key"), "utf8").trim();
    expect(token).toMatch(/^rgk_anna_[A-Za-z0-9_-]{43}$/);
    expect(made.stdout).not.toContain(token);
    expect(readFileSync(join(stateDir, "keys", "anna.json"), "utf8")).not.toContain(token.slice(9));
    expect(statSync(join(keysDir, "anna.key")).mode & 0o777).toBe(0o600);
    expect(statSync(keysDir).mode & 0o777).toBe(0o700);
    expect(regate(["keys", "create", "anna", ...flags])).toMatchObject({
      status: 1,
      stdout: "",
      lines: ["regate: a key named `anna` exists: choose another name"],
    });
    expect(readFileSync(join(keysDir, "anna.key"), "utf8").trim()).toBe(token);
    const [listed] = JSON.parse(regate(["keys", "list", "--json", ...flags]).stdout) as Record<string, unknown>[];
    expect(listed).toMatchObject({ name: "anna", owner: "anna@example.org" });
  });

  it("revokes a key, and again is the same", () => {
    const { flags } = places();
    regate(["keys", "create", "anna", ...flags]);
    const first = regate(["keys", "revoke", "anna", ...flags]);
    expect([first.status, first.stdout]).toEqual([0, expect.stringMatching(/^key `anna` is revoked since 20/)]);
    expect(regate(["keys", "revoke", "anna", ...flags]).stdout).toBe(first.stdout);
    expect(regate(["keys", "list", ...flags]).stdout).toMatch(/^NAME +OWNER +CREATED AT +REVOKED AT +PUBLIC KEY\nanna /);
  });

  it("the owner is the user of the shell unless named, and the folders come from the environment too", () => {
    const { stateDir, keysDir } = places();
    const env = { REGATE_STATE_DIR: stateDir, REGATE_KEYS_DIR: keysDir };
    expect(regate(["keys", "create", "me"], { env }).status).toBe(0);
    expect(readdirSync(keysDir)).toEqual(["me.key"]);
    expect(JSON.parse(regate(["keys", "list", "--json"], { env }).stdout)).toMatchObject([{ owner: expect.stringMatching(/./) }]);
  });

  it.each([
    [["keys", "create"], "the name of the key is missing"],
    [["keys", "create", "Anna"], "`Anna` cannot name a key"],
    [["keys", "create", "../x"], "`../x` cannot name a key"],
    [["keys", "create", "a".repeat(33)], "cannot name a key"],
    [["keys", "create", "a", "b"], "unexpected word `b`"],
    [["keys", "create", "a", "--owner", " "], "`--owner`: ` ` must not be empty"],
    [["keys", "create", "a", "--owner", "x".repeat(257)], "must be visible text of at most 256 characters"],
    [["keys", "create", "a", "--owner", " anna"], "without blanks at its ends"],
    [["keys", "create", "a", "--owner", "anna\u200b"], "must be visible text"],
    [["keys", "revoke"], "the name of the key is missing"],
    [["keys"], "`keys` needs a command"],
  ])("%j is exit code 2 with one line, and makes nothing", (words, line) => {
    const { stateDir, keysDir, flags } = places();
    const run = regate([...words, ...(words.length > 1 ? flags : [])]);
    expect([run.status, run.stdout, run.lines.length]).toEqual([2, "", 1]);
    expect(run.stderr).toContain(line);
    expect([existsSync(stateDir), existsSync(keysDir)]).toEqual([false, false]);
  });

  it("an unknown key is exit code 1", () => {
    expect(regate(["keys", "revoke", "nobody", ...places().flags])).toMatchObject({
      status: 1,
      lines: ["regate: no key is named `nobody` (see `regate keys list`)"],
    });
  });
});

describe("a record that is not this program's", () => {
  const listing = (change: (folder: string) => void) => {
    const { stateDir, flags } = places();
    regate(["keys", "create", "anna", ...flags]);
    change(join(stateDir, "keys"));
    return regate(["keys", "list", ...flags]);
  };

  it.each<[string, (folder: string) => void, string]>([
    ["open to others", (folder) => chmodSync(join(folder, "anna.json"), 0o644), "is open to other users"],
    [
      "a link",
      (folder) => {
        renameSync(join(folder, "anna.json"), join(folder, "real"));
        symlinkSync("real", join(folder, "anna.json"));
      },
      "is a symbolic link",
    ],
    ["a folder", (folder) => mkdirSync(join(folder, "bert.json")), "is not a regular file"],
    ["under another name", (folder) => renameSync(join(folder, "anna.json"), join(folder, "bert.json")), "is not a key record"],
    ["half-written", (folder) => writeFileSync(join(folder, "anna.json"), '{"v":1,"name":"an'), "is not a key record"],
    [
      "with an unknown key",
      (folder) => {
        const record = JSON.parse(readFileSync(join(folder, "anna.json"), "utf8")) as object;
        writeFileSync(join(folder, "anna.json"), JSON.stringify({ ...record, planted: "EXAMPLE-SECRET" }));
      },
      "is not a key record",
    ],
  ])("%s: exit code 1, one line, nothing of it shown", (_name, change, line) => {
    const run = listing(change);
    expect([run.status, run.stdout, run.lines.length]).toEqual([1, "", 1]);
    expect(run.stderr).toContain(line);
    expect(run.stderr).not.toContain("EXAMPLE-SECRET");
  });
});

describe("in an agent's process and what it starts", () => {
  it("a process with the variable decides nothing, whatever its value", () => {
    const { flags } = places();
    for (const value of ["1", "", "0"]) {
      expect(regate(["keys", "create", "anna", ...flags], { env: { REGATE_AGENT_CHILD: value } })).toMatchObject({
        status: 1,
        lines: [BAN],
      });
    }
  });

  it("neither does a command of run_shell, with the variable or without it", async () => {
    const session = await connect(["--bundle", "agent-session", "--sandbox", "none"]);
    const keysDir = temporaryFolder();
    const command = `node ${PROGRAM} keys create anna --state-dir ${session.stateDir} --keys-dir ${keysDir}`;
    for (const prefix of ["", "env -u REGATE_AGENT_CHILD "]) {
      const { structured } = await session.call("run_shell", { command: `${prefix}${command.replace("node", process.execPath)}` });
      expect(structured).toMatchObject({ exit_code: 1, stderr: `${BAN}\n` });
    }
    expect([existsSync(join(session.stateDir, "keys")), readdirSync(keysDir)]).toEqual([false, []]);
  });
});
