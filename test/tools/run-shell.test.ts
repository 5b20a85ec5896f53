import { tmpdir } from "node:os";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { JsonObject } from "../../src/call/json.ts";
import { analyseCommand } from "../../src/shell/analyse.ts";
import { unconfined } from "../../src/shell/confinement.ts";
import { COMMAND_LIMITS } from "../../src/shell/sandbox-entry.ts";
import { checkArguments } from "../../src/tools/arguments.ts";
import { planOf } from "../../src/tools/plan.ts";
import { createRegistry } from "../../src/tools/registry.ts";
import { runShellTool } from "../../src/tools/run-shell.ts";
import { ToolError } from "../../src/tools/tool-error.ts";
import { contextOf } from "./kit.ts";

const confinement = unconfined({ limits: COMMAND_LIMITS, atOnce: 8, reason: "a test" });
const tool = runShellTool({ confinement, workdir: tmpdir(), environment: { HOME: "/nowhere", SECRET: "x" } });

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "regate-places-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

function checked(args: JsonObject): unknown {
  const result = checkArguments(tool.input, args);
  return result.ok ? result.value : result.problem;
}

describe("arguments", () => {
  test.each<[JsonObject, unknown]>([
    [{ command: "ls" }, { command: "ls", timeout_ms: 120_000 }],
    [
      { command: "ls", dry_run: true, timeout_ms: 5 },
      { command: "ls", dry_run: true, timeout_ms: 5 },
    ],
    [
      { command: "ls", agent_id: "x", session_id: "y" },
      { command: "ls", timeout_ms: 120_000 },
    ],
    [{}, "`command`: expected string, received undefined"],
    [{ command: 1 }, "`command`: expected string, received number"],
    [{ command: "a\0b" }, "`command`: must not hold a NUL"],
    [{ command: "x".repeat(65_537) }, "`command`: must not be longer than 65536 bytes"],
    [{ command: "é".repeat(32_769) }, "`command`: must not be longer than 65536 bytes"],
    [{ command: "ls", dry_run: "true" }, "`dry_run`: expected boolean, received string"],
    [{ command: "ls", timeout_ms: 0 }, "`timeout_ms`: must be greater than zero"],
    [{ command: "ls", timeout_ms: 600_001 }, "`timeout_ms`: must not exceed 600000"],
    [{ command: "ls", timeout_ms: 1.5 }, "`timeout_ms`: must be a whole number"],
    [{ command: "ls", timeout_ms: "5" }, "`timeout_ms`: must be a whole number"],
    // Trial P03: a risk that the model writes itself is no argument.
    [{ command: "rm -r /srv/app", risk: "read" }, "`risk` is not an argument of this tool"],
    [{ command: "rm -r /srv/app", requires_approval: false }, "`requires_approval` is not an argument of this tool"],
    [{ command: "rm -r /srv/app", confirm: true }, "`confirm` is not an argument of this tool"],
  ])("%j", (args, expected) => {
    expect(checked(args)).toEqual(expected);
  });

  test("65,536 bytes are accepted", () => {
    expect(checkArguments(tool.input, { command: "x".repeat(65_536) }).ok).toBe(true);
  });
});

describe("results", () => {
  test("run: the documented fields, and no variable of the server", async () => {
    const args = { command: "echo out; echo err >&2; env | grep -c SECRET", timeout_ms: 30_000 };
    const { structured } = await tool.handler(args, contextOf(args));
    expect(structured).toEqual({
      exit_code: 1,
      signal: null,
      timed_out: false,
      truncated: false,
      stdout: "out\n0\n",
      stderr: "err\n",
      duration_ms: expect.any(Number),
    });
    expect(tool.output.safeParse(structured).success).toBe(true);
  });

  test("a time limit is a result too", async () => {
    const args = { command: "sleep 600", timeout_ms: 50 };
    const { structured } = await tool.handler(args, contextOf(args));
    expect(structured).toMatchObject({ exit_code: null, signal: "SIGTERM", timed_out: true });
  });

  test("the output schema admits the plan of a dry run, and nothing in between", () => {
    const command = "rm -rf $X > out.txt";
    const call = { ...contextOf({ command }).call, shell: analyseCommand(command) };
    const { structured } = planOf(call, contextOf({}).decision);
    expect(tool.output.safeParse(structured).success).toBe(true);
    expect(tool.output.safeParse({ ...structured, stdout: "" }).success).toBe(false);
    expect(tool.output.safeParse({ stdout: "" }).success).toBe(false);
  });

  test("its published schemas are plain objects at the top", () => {
    const published = createRegistry([tool]).get("run_shell");
    expect(published?.inputSchema).toMatchObject({ type: "object", required: ["command"], additionalProperties: false });
    expect(published?.outputSchema).toMatchObject({ type: "object", additionalProperties: false });
  });

  test("as many commands as there are places run at the same time; others wait", async () => {
    const folder = temporaryFolder();
    const most = async (atOnce: number): Promise<number> => {
      const met = join(temporaryFolder(), "met");
      const places = unconfined({ limits: COMMAND_LIMITS, atOnce, reason: "a test" });
      const limited = runShellTool({ confinement: places, workdir: folder, environment: {} });
      // Each command sees how many run beside it, itself included; the first ones wait for those that have a place.
      const meeting = `until [ -e ${met} ] || [ "$(ls | wc -l)" -ge ${Math.min(atOnce, 4)} ]; do sleep 0.02; done; touch ${met}`;
      const command = `mkdir $$; ${meeting}; sleep 0.3; ls | wc -l; rmdir $$`;
      const calls = Array.from({ length: 4 }, () => limited.handler({ command }, contextOf({ command })));
      const counts = (await Promise.all(calls)).map(({ structured }) => Number((structured as { stdout: string }).stdout));
      return Math.max(...counts);
    };
    expect(await most(1)).toBe(1);
    expect(await most(2)).toBe(2);
    expect(await most(8)).toBe(4);
  });

  test("hostile output stays below 2 MB of answer", async () => {
    const args = { command: "head -c 70000 /dev/zero | tr '\\0' '\\1'; head -c 70000 /dev/zero | tr '\\0' '\\1' >&2", timeout_ms: 30_000 };
    const { structured } = await tool.handler(args, contextOf(args));
    const answer = { content: [{ type: "text", text: JSON.stringify(structured) }], structuredContent: structured };
    expect(structured["truncated"]).toBe(true);
    expect(Buffer.byteLength(JSON.stringify(answer))).toBeLessThan(1_990_000);
  });
});

describe("what is not executed", () => {
  test("a command other than the one that was decided", async () => {
    await expect(tool.handler({ command: "echo a" }, contextOf({ command: "echo b" }))).rejects.toThrow(
      expect.objectContaining({ code: "shell.command_changed" }),
    );
    await expect(tool.handler({ command: "echo a" }, contextOf({}))).rejects.toThrow(Error);
  });

  test("without a working directory: a message that the agent may read, without the path", async () => {
    const lost = runShellTool({ confinement, workdir: "/nonexistent/work", environment: {} });
    const run = lost.handler({ command: "true" }, contextOf({ command: "true" }));
    await expect(run).rejects.toThrow(new ToolError("run_shell: the working directory is missing"));
  });
});
