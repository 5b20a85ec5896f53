import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { visible } from "../call/visible.ts";
import { ConfigError, errorCode } from "../config/config-error.ts";
import type { CallReport, DemoClient } from "../server/demo-client.ts";
import type { Arguments, Command, Io } from "./command.ts";
import { DEMO_AGENT, DEMO_ROWS, DEMO_VICTIM, type DemoRow, type DemoServer } from "./demo-rows.ts";
import { write } from "./output.ts";

const FAILED = 1;
const TEXT_WIDTH = 64;
const PROGRAM = fileURLToPath(new URL("../../bin/regate.js", import.meta.url));
/** On the allowlist of the governed server; the admin tool is entitled so that the policy's own denial shows. */
const ENTITLED = ["run_shell", "list_sessions", "audit_log", "admin_list_sessions"];

interface Shown {
  readonly row: DemoRow;
  readonly report: CallReport;
  readonly verdict: string;
  readonly milliseconds: number;
  readonly asExpected: boolean;
}

function temporaryFolder(): string {
  try {
    return mkdtempSync(join(tmpdir(), "regate-demo-"));
  } catch (cause) {
    const what = `no folder can be made in \`${tmpdir()}\` (${errorCode(cause)}): let \`TMPDIR\` name one that this user may write`;
    throw new ConfigError("config.option", what, { cause });
  }
}

function serverArguments(server: DemoServer, folder: string): readonly string[] {
  const common = ["serve", "--workdir", join(folder, "work"), "--state-dir", join(folder, "state")];
  if (server === "default") return common;
  if (server === "session") return [...common, "--bundle", "agent-session"];
  return [
    ...common,
    "--bundle",
    "ai-agent",
    "--agent-tools-file",
    join(folder, "tools.txt"),
    "--require-agent-dry-run",
    "--agent-id",
    DEMO_AGENT,
  ];
}

function verdictOf(report: CallReport): string {
  if (report.code === "cancelled") return "cancelled";
  if (/^-?\d+$/.test(report.code)) return "protocol error";
  return report.isError ? "refused" : "allowed";
}

function fits(row: DemoRow, report: CallReport): boolean {
  const text = typeof row.text === "string" ? report.text.includes(row.text) : row.text.test(report.text);
  return text && verdictOf(report) === row.verdict && report.code === row.code;
}

async function show(row: DemoRow, client: DemoClient): Promise<Shown> {
  const start = performance.now();
  const report = await row.send(client);
  return { row, report, verdict: verdictOf(report), milliseconds: performance.now() - start, asExpected: fits(row, report) };
}

async function runRows(folder: string): Promise<readonly Shown[]> {
  const { connectDemoClient } = await import("../server/demo-client.ts");
  const shown: Shown[] = [];
  for (const server of ["governed", "session", "default"] as const) {
    const client = await connectDemoClient({ command: process.execPath, args: [PROGRAM, ...serverArguments(server, folder)], cwd: folder });
    try {
      for (const row of DEMO_ROWS.filter((candidate) => candidate.server === server)) shown.push(await show(row, client));
    } finally {
      await client.close();
    }
  }
  return shown;
}

function cells({ row, report, verdict, milliseconds, asExpected }: Shown): readonly string[] {
  const text = visible(report.text.replace(/\s+/g, " "));
  const shown = text.length > TEXT_WIDTH ? `${text.slice(0, TEXT_WIDTH - 1)}…` : text;
  return [row.title, `${verdict}${asExpected ? "" : " (WRONG)"}`, report.code, shown, `${milliseconds.toFixed(1)} ms`];
}

function table(rows: readonly (readonly string[])[]): string {
  const lines = [["call", "verdict", "code", "text", "time"], ...rows];
  const widths = lines[0]?.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0))) ?? [];
  const ruled = lines.map((line) =>
    line
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
  return [ruled[0], widths.map((width) => "-".repeat(width)).join("  "), ...ruled.slice(1)].map((line) => `${line ?? ""}\n`).join("");
}

async function runIn(folder: string, io: Io): Promise<number> {
  mkdirSync(join(folder, "work"));
  writeFileSync(join(folder, "work", DEMO_VICTIM), "still here\n");
  writeFileSync(join(folder, "tools.txt"), `# entitled tools of the demo\n${ENTITLED.join("\n")}\n`);
  const shown = await runRows(folder);
  const untouched = existsSync(join(folder, "work", DEMO_VICTIM)) && !existsSync(join(folder, "work", "changed"));
  await write(io.stdout, table(shown.map(cells)));
  const wrong = shown.filter((row) => !row.asExpected).length;
  const calls = wrong === 0 ? "each as it must be" : `${wrong} NOT as they must be`;
  const victim = `\`${DEMO_VICTIM}\` ${untouched ? "is untouched" : "or the working directory WAS CHANGED"}`;
  await write(io.stdout, `\n${shown.length} calls, ${calls}; ${victim}\n`);
  return wrong === 0 && untouched ? 0 : FAILED;
}

async function run(_args: Arguments, io: Io): Promise<number> {
  const folder = temporaryFolder();
  try {
    return await runIn(folder, io);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** `regate demo`: a real MCP client drives the real server through every stage of the gate. */
export const DEMO_COMMAND: Command = {
  path: ["demo"],
  summary: "drive the server with a real MCP client through every stage of the gate",
  options: [],
  examples: [["$0 demo", "14 calls: which pass, which are refused, by which stage; exit 0 when all are as they must be"]],
  run,
};
