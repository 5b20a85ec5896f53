import { expect, it } from "vitest";
import { connect, temporaryFolder } from "./client.ts";

it("two servers on one working directory run commands at the same time, and none fails", async () => {
  const flags = ["--bundle", "agent-session", "--workdir", temporaryFolder("regate-work-")];
  const sessions = await Promise.all([connect(flags), connect(flags)]);
  const answers = await Promise.all(
    sessions.flatMap((session) => Array.from({ length: 12 }, () => session.call("run_shell", { command: "echo ran" }))),
  );
  expect(answers.map(({ isError, structured, text }) => (isError ? text : structured?.["stdout"]))).toEqual(answers.map(() => "ran\n"));
});
