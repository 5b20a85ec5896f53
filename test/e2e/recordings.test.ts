import { appendFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { regate } from "./run.ts";
import { supervised } from "./human.ts";

it("a recording is listed, and exported as events and as a film", async () => {
  const { session, sessionId } = await supervised(["--bundle", "agent-session"]);
  await session.call("run_shell", { command: "printf 'a\\tb\\n\\033[2J'; echo err >&2; false" });
  await session.call("identity_status");
  const listed = JSON.parse(regate(["recordings", "list", "--json", "--state-dir", session.stateDir]).stdout) as unknown[];
  expect(listed).toMatchObject([{ session_id: sessionId, event_count: 4 }]);
  const lines = (format: string) => {
    const run = regate(["recordings", "export", sessionId, "--format", format, "--state-dir", session.stateDir]);
    expect([run.status, run.stderr]).toEqual([0, ""]);
    return run.stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
  };
  expect(lines("jsonl").map(({ type, tool }) => [type, tool])).toEqual([
    ["input", "run_shell"],
    ["output", "run_shell"],
    ["input", "identity_status"],
    ["output", "identity_status"],
  ]);
  const [head, ...film] = lines("asciicast");
  expect(head).toEqual({ version: 2, width: 120, height: 30, timestamp: expect.any(Number), title: sessionId });
  expect(film.map(([, kind]) => kind)).toEqual(["o", "o", "o", "o"]);
  expect(film[0][0]).toBe(0);
  expect(film[1][2]).toBe("a\tb\r\n\\u{1b}[2J\r\nerr\r\n");
  expect(film.map(([at]) => at as number)).toEqual(film.map(([at]) => at as number).toSorted((a, b) => a - b));
});

it("what is no recording, or holds something else, is an error of one line", async () => {
  const { session, sessionId } = await supervised(["--bundle", "agent-session"]);
  await session.call("identity_status");
  const folder = join(session.stateDir, "recordings");
  symlinkSync(join(folder, `${sessionId}.jsonl`), join(folder, "mcp-1000000000000000002.jsonl"));
  appendFileSync(join(folder, `${sessionId}.jsonl`), '{"secret":"EXAMPLE"}\n');
  for (const [id, message] of [
    ["mcp-1000000000000000002", "there is no recording of session"],
    ["../../etc/passwd", "there is no recording of session"],
    [sessionId, "line 3 of the recording is not an event of it"],
  ] as const) {
    const run = regate(["recordings", "export", id, "--state-dir", session.stateDir]);
    expect([run.status, run.lines.length, run.stdout.includes("EXAMPLE")]).toEqual([1, 1, false]);
    expect(run.stderr).toContain(message);
  }
  expect(regate(["recordings", "export"])).toMatchObject({ status: 2, stdout: "" });
});
