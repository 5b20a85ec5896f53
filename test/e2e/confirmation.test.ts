import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ElicitRequestFormParams, ElicitResult } from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, it } from "vitest";
import { connect, temporaryFolder, type Human } from "./client.ts";

const YES: ElicitResult = { action: "accept", content: { confirm: true } };
const DESTROY = "rm -f victim";

const MESSAGE = [
  'Active profile: "Erika"',
  "",
  "The agent asks to run `run_shell`.",
  "It runs a shell command; the classifier calls it destructive (destructive.program).",
  "Nothing has run yet. Confirm only if this is what you want.",
].join("\n");

/** A confirmed session under the profile Erika, a file that a command would remove, and a human. */
async function opened(human?: Human, flags: readonly string[] = []) {
  const workdir = temporaryFolder();
  const victim = join(workdir, "victim");
  writeFileSync(victim, "");
  const session = await connect(["--bundle", "identity-gate", "--workdir", workdir, ...flags], {}, human);
  await session.call("config_profile_create", { label: "Erika" });
  await session.call("whoami");
  return { ...session, isThere: () => existsSync(victim) };
}

describe("a destructive command over the legacy protocol", () => {
  it.each([
    ["direct", "run_shell", { command: DESTROY }],
    ["execute", "execute", { command_key: "run_shell", arguments: { command: DESTROY } }],
  ])("is put to the human under the label of the active profile, and runs after a yes: %s", async (_path, tool, args) => {
    const asked: ElicitRequestFormParams[] = [];
    const session = await opened((params) => {
      asked.push(params);
      return YES;
    });
    const answer = await session.call(tool, args);
    expect(answer.isError).toBe(false);
    expect(session.isThere()).toBe(false);
    expect(asked.map(({ message }) => message)).toEqual([MESSAGE]);
    expect(asked[0]?.requestedSchema).toMatchObject({
      type: "object",
      properties: { confirm: { type: "boolean" } },
      required: ["confirm"],
    });
    const codes = session.events().map(({ custom }) => custom.regate.code);
    expect(codes).toContain("confirm.pending");
  });

  it.each<[string, Human | undefined, string, string]>([
    ["declines", () => ({ action: "decline" }), "confirm.declined", "confirm: declined by the human, nothing was executed"],
    ["cancels", () => ({ action: "cancel" }), "confirm.cancelled", "confirm: cancelled by the human, nothing was executed"],
    [
      "accepts with a no",
      () => ({ action: "accept", content: { confirm: false } }),
      "confirm.declined",
      "confirm: declined by the human, nothing was executed",
    ],
    ["accepts without an answer", () => ({ action: "accept" }), "confirm.malformed", "confirm: malformed answer, nothing was executed"],
    [
      "accepts with a text",
      () => ({ action: "accept", content: { confirm: "true" } }),
      "confirm.malformed",
      "confirm: malformed answer, nothing was executed",
    ],
    [
      "has a client that fails",
      () => Promise.reject(new Error("lost")),
      "confirm.malformed",
      "confirm: malformed answer, nothing was executed",
    ],
    ["cannot be asked", undefined, "confirm.no_channel", "confirm: no way to ask the human, nothing was executed"],
  ])("does not run when the human %s", async (_what, human, code, text) => {
    const session = await opened(human);
    for (const [tool, args] of [
      ["run_shell", { command: DESTROY }],
      ["execute", { command_key: "run_shell", arguments: { command: DESTROY } }],
    ] as const) {
      expect(await session.call(tool, args)).toMatchObject({ isError: true, code, text });
    }
    expect(session.isThere()).toBe(true);
  });

  it("is refused at once after one silence, while a read is answered meanwhile [M16]", async () => {
    let asked = 0;
    const session = await opened(() => {
      asked += 1;
      return new Promise(() => {});
    }, ["--confirm-timeout-ms", "300"]);
    const first = session.call("run_shell", { command: DESTROY });
    expect(await session.call("whoami")).toMatchObject({ isError: false });
    expect(await first).toMatchObject({ code: "confirm.no_answer" });
    expect(await session.call("run_shell", { command: DESTROY })).toMatchObject({ code: "confirm.no_answer" });
    expect(asked).toBe(1);
    expect(session.isThere()).toBe(true);
  });
});
