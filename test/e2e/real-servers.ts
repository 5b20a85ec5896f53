import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "./client.ts";
import { PROGRAM } from "./run.ts";

/** A command with its arguments. */
export type Command = readonly string[];

/** The command of a real server behind the gateway. */
export function realServer(name: "everything" | "filesystem" | "memory", ...words: readonly string[]): Command {
  return [process.execPath, `${process.cwd()}/node_modules/@modelcontextprotocol/server-${name}/dist/index.js`, ...words];
}

/** The gateway in front of a server, over stdio. */
export function gated(server: Command, bundle = "agent-session"): Command {
  return [process.execPath, PROGRAM, "proxy", "--bundle", bundle, "--state-dir", temporaryFolder(), "--", ...server];
}

/** server-memory with a graph of its own, so that two of them answer alike. */
export function memoryServer(): Command {
  return ["env", `MEMORY_FILE_PATH=${join(temporaryFolder(), "graph.json")}`, ...realServer("memory")];
}

/** A folder for server-filesystem: two files, one of them in a folder. */
export function someFiles(): string {
  const root = temporaryFolder("regate-files-");
  mkdirSync(join(root, "sub"));
  writeFileSync(join(root, "a.txt"), "one\ntwo\n");
  writeFileSync(join(root, "sub", "ü.txt"), "größer\u2028😀\n");
  return root;
}

/** What a program said, and its exit code. */
export interface Said {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program to its end. */
export function runToEnd(command: Command, { input = "", env = {} }: { input?: string; env?: Record<string, string> } = {}): Promise<Said> {
  const [program = "", ...words] = command;
  return new Promise((resolve, reject) => {
    const child = spawn(program, words, { env: { PATH: process.env["PATH"] ?? "", ...env }, stdio: "pipe" });
    let [stdout, stderr] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => (stdout += chunk));
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => (stderr += chunk));
    child.stdin.on("error", () => undefined).end(input);
    child.on("error", reject).on("close", (code) => resolve({ code, stdout, stderr }));
  });
}

/** A result without what the gateway adds to it: the decision under `_meta`. */
export function withoutDecision(result: unknown): unknown {
  if (result === undefined) return undefined;
  return JSON.parse(JSON.stringify(result), (key, value: unknown) => {
    if (key !== "_meta" || typeof value !== "object" || value === null) return value;
    const { "regate/decision": _decision, ...rest } = value as Record<string, unknown>;
    return Object.keys(rest).length === 0 ? undefined : rest;
  });
}
