import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "./client.ts";
import { operatorOf, supervised } from "./human.ts";

const RM = { command: "rm -rf build" };
const DENIED = { isError: true, code: "policy.denied" };
const ALLOWED = { isError: false };
const COVER = ["elevation", "grant", "--tool", "run_shell"] as const;

describe("under the ai-agent bundle", () => {
  it("a destructive command runs only while an elevation of this session covers it", async () => {
    const workdir = temporaryFolder();
    const { session, operator, sessionId } = await supervised(["--bundle", "ai-agent", "--workdir", workdir]);
    const folder = join(workdir, "build");
    const tried = async () => {
      mkdirSync(folder, { recursive: true });
      const answer = await session.call("run_shell", RM);
      return { ...answer, ran: !existsSync(folder) };
    };
    expect(await tried()).toMatchObject({ ...DENIED, ran: false });
    const id = operator.sign(...COVER, "--session", sessionId);
    expect(await tried()).toMatchObject({ ...ALLOWED, ran: true });
    expect(session.events().at(-2)).toMatchObject({
      input: {
        elevation: { role: "human-approved-agent", reason: "a test", tools: ["run_shell"], expires_at: expect.stringMatching(/Z$/) },
      },
    });
    operator.sign("elevation", "drop", id);
    expect(await tried()).toMatchObject({ ...DENIED, ran: false });
    expect(session.events().at(-1)?.["input"]).not.toHaveProperty("elevation");
  });

  it.each([
    ["another session", ["--session", "mcp-1000000000000000000"]],
    ["another agent", ["--agent", "somebody-else"]],
    ["this session, but another agent", ["--agent", "somebody-else", "--session", "SELF"]],
    ["another role", ["--session", "SELF", "--role", "reader"]],
  ])("an elevation for %s covers nothing", async (_name, flags) => {
    const { session, operator, sessionId } = await supervised(["--bundle", "ai-agent", "--agent-id", "builder"]);
    operator.sign(...COVER, ...flags.map((flag) => (flag === "SELF" ? sessionId : flag)));
    expect(await session.call("run_shell", RM)).toMatchObject(DENIED);
  });

  it("an elevation for another tool covers nothing, and none opens a tool outside the set", async () => {
    const { session, operator, sessionId } = await supervised(["--bundle", "ai-agent"]);
    operator.sign("elevation", "grant", "--tool", "eval_starlark", "--tool", "admin_list_sessions", "--session", sessionId);
    expect(await session.call("run_shell", RM)).toMatchObject(DENIED);
    expect(await session.call("admin_list_sessions")).toMatchObject(DENIED);
  });

  it("one for the agent covers its sessions until it expires", async () => {
    const { session, operator } = await supervised(["--bundle", "ai-agent", "--agent-id", "builder"]);
    operator.sign(...COVER, "--agent", "builder", "--for", "10s");
    expect(await session.call("run_shell", RM)).toMatchObject(ALLOWED);
    await expect.poll(() => session.call("run_shell", RM), { interval: 500 }).toMatchObject(DENIED);
    const [listed] = JSON.parse(operator.run("elevation", "list", "--json").stdout) as object[];
    expect(listed).toMatchObject({ state: "expired", agent: "builder", granted_by: "anna" });
  });

  it("uses are counted by admitted calls that run, also of calls sent at once; dry runs and refused calls are free", async () => {
    const { session, operator, sessionId } = await supervised(["--bundle", "ai-agent"]);
    const id = operator.sign(...COVER, "--session", sessionId, "--uses", "2");
    expect(await session.call("run_shell", { ...RM, dry_run: true })).toMatchObject(ALLOWED);
    expect(await session.call("admin_list_sessions")).toMatchObject(DENIED);
    const answers = await Promise.all([1, 2, 3, 4].map(() => session.call("run_shell", RM)));
    expect(answers.filter(({ isError }) => isError)).toHaveLength(2);
    const [listed] = JSON.parse(operator.run("elevation", "list", "--json").stdout) as object[];
    expect(listed).toMatchObject({ id, state: "used_up", used: 2, uses: 2 });
    // Whoever takes the records of uses away gives nothing back to this session.
    rmSync(join(session.stateDir, "elevation-uses"), { recursive: true });
    expect(await session.call("run_shell", RM)).toMatchObject(DENIED);
  });

  it("a tampered, cut or foreign chain is said once and never applied; what holds again is", async () => {
    const { session, operator, sessionId } = await supervised(["--bundle", "ai-agent"]);
    operator.sign(...COVER, "--session", "mcp-1000000000000000000");
    operator.sign(...COVER, "--session", sessionId);
    expect(await session.call("run_shell", RM)).toMatchObject(ALLOWED);
    const file = join(session.stateDir, "elevations.jsonl");
    const text = readFileSync(file, "utf8");
    const [first = ""] = text.split("\n");
    for (const broken of [text.replace(/a test(?!.*a test)/s, "b test"), `${first}\n`, "", "{}\n"]) {
      writeFileSync(file, broken);
      expect(await session.call("run_shell", RM)).toMatchObject(DENIED);
      expect(operator.run("elevation", "verify")).toMatchObject({ status: 1, lines: [expect.stringContaining("does not hold")] });
      expect(operator.run(...COVER, "--session", sessionId, "--reason", "x", "--key", "anna").status).toBe(1);
    }
    writeFileSync(file, text);
    expect(await session.call("run_shell", RM)).toMatchObject(ALLOWED);
    renameSync(file, `${file}.away`);
    expect(await session.call("run_shell", RM)).toMatchObject(DENIED);
    await expect.poll(() => session.stderr().match(/elevations are not applied/g)?.length).toBeGreaterThan(1);
  });
});

describe("under the default bundle", () => {
  it("an elevation opens the question to the human in the session, and nothing more", async () => {
    const asked: string[] = [];
    const human = ({ message }: { message: string }) => {
      asked.push(message);
      return { action: "accept" as const, content: { confirm: true } };
    };
    const { session, operator, sessionId } = await supervised([], { human });
    await session.call("whoami");
    expect(await session.call("run_shell", RM)).toMatchObject(DENIED);
    operator.sign(...COVER, "--session", sessionId, "--uses", "1");
    const before = asked.length;
    expect(await session.call("run_shell", RM)).toMatchObject(ALLOWED);
    expect(asked.length - before).toBeLessThanOrEqual(1);
    expect(await session.call("run_shell", RM)).toMatchObject(DENIED);
  });
});

describe("regate elevation", () => {
  const operator = () => operatorOf(join(temporaryFolder(), "state"));

  it.each([
    [["elevation", "grant", "--session", "s", "--reason", "r", "--key", "anna"], "`--tool` is missing"],
    [[...COVER, "--reason", "r", "--key", "anna"], "`--session` or `--agent` is missing"],
    [[...COVER, "--session", "s", "--key", "anna"], "`--reason` is missing"],
    [[...COVER, "--session", "s", "--reason", "r"], "`--key` is missing"],
    [[...COVER, "--session", "s", "--reason", " ", "--key", "anna"], "`--reason`: ` ` must not be empty"],
    ...["0", "0s", "25h", "abc", "-1s", "1.5h", "10"].map((time): [string[], string] => [
      [...COVER, "--session", "s", "--reason", "r", "--key", "anna", `--for=${time}`],
      `\`--for\`: \`${time}\` must be a time`,
    ]),
    [[...COVER, "--session", "s", "--reason", "r", "--key", "anna", "--uses", "0"], "`--uses`: `0` must be a whole number"],
    [[...COVER, "--session", "s", "--reason", "r", "--key", "anna", "--role", "Root"], "`--role`: `Root` must be"],
    [["elevation", "drop", "--reason", "r", "--key", "anna"], "the id of the elevation is missing"],
    [["elevation", "drop", "../../etc", "--reason", "r", "--key", "anna"], "`../../etc` is no id of an elevation"],
    [["elevation"], "unknown flag"],
  ])("%j is exit code 2 with one line", (words, line) => {
    const { run } = operator();
    const ended = run(...words);
    expect([ended.status, ended.stdout, ended.lines.length]).toEqual([2, "", 1]);
    expect(ended.stderr).toContain(line);
  });

  it("an unknown or revoked key, and an unknown or dropped elevation, are exit code 1 with one line", () => {
    const { run, sign } = operator();
    const grant = [...COVER, "--session", "s", "--reason", "r"];
    expect(run(...grant, "--key", "bert")).toMatchObject({ status: 1, lines: [expect.stringContaining("regate keys create bert")] });
    expect(run("elevation", "drop", "a".repeat(32), "--reason", "r", "--key", "anna")).toMatchObject({ status: 1 });
    const id = sign(...COVER, "--session", "s");
    sign("elevation", "drop", id);
    const again = run("elevation", "drop", id, "--reason", "r", "--key", "anna");
    expect(again).toMatchObject({ status: 1, lines: [`regate: elevation \`${id}\` is dropped already`] });
    run("keys", "revoke", "anna");
    expect(run(...grant, "--key", "anna")).toMatchObject({ status: 1, lines: ["regate: key `anna` is revoked"] });
    expect(run("elevation", "verify")).toMatchObject({ status: 0, stdout: expect.stringContaining("holds: 2 entries") });
  });

  it("without a chain, verify and list say that nothing was granted", () => {
    const { run } = operator();
    expect(run("elevation", "verify")).toMatchObject({ status: 0, stdout: "there is no chain of elevations: nothing was ever granted\n" });
    expect(run("elevation", "list", "--json")).toMatchObject({ status: 0, stdout: "[]\n" });
  });

  it("a line that a crash left torn is cut off by the next grant", () => {
    const { stateDir, run, sign } = operator();
    sign(...COVER, "--session", "s");
    const file = join(stateDir, "elevations.jsonl");
    writeFileSync(file, `${readFileSync(file, "utf8")}{"v":1,"seq":2,"ti`);
    expect(run("elevation", "verify")).toMatchObject({ status: 1, stderr: expect.stringContaining("line 2: the last line is not whole") });
    sign(...COVER, "--session", "s");
    expect(run("elevation", "verify").stdout).toContain("holds: 2 entries");
  });
});
