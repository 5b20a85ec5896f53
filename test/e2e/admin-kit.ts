import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "playwright-core";
import type { Browser, Page } from "playwright-core";
import { onTestFinished } from "vitest";
import { operatorOf, type Operator } from "./human.ts";
import { cleanEnv, PROGRAM } from "./run.ts";

/** An admin server in a process of its own, and the token of a human named `anna`. */
export interface AdminProcess {
  readonly url: string;
  readonly token: string;
  readonly pid: number;
  readonly stderr: () => string;
  /** Sends SIGTERM and gives the exit code, when everything that was written has been read. */
  readonly end: () => Promise<number | null>;
}

/** Starts `regate admin serve` on a state directory with a key of `anna@example.org`; it ends with the test. */
export async function startAdmin(
  stateDir: string,
  flags: readonly string[] = [],
  { keysDir }: Pick<Operator, "keysDir"> = operatorOf(stateDir),
): Promise<AdminProcess> {
  const token = readFileSync(join(keysDir, "anna.key"), "utf8").trim();
  const child = spawn(process.execPath, [PROGRAM, "admin", "serve", "--state-dir", stateDir, "--listen", "127.0.0.1:0", ...flags], {
    env: cleanEnv(),
    stdio: ["ignore", "ignore", "pipe"],
  });
  const exited = once(child, "close") as Promise<[number | null]>;
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await exited;
  });
  let stderr = "";
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  let url: string | undefined;
  while (url === undefined) {
    if (child.exitCode !== null) throw new Error(`the admin server ended with ${child.exitCode}: ${stderr}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
    [url] = /http:\/\/127\.0\.0\.1:\d+(?=\D)/.exec(stderr) ?? [];
  }
  return {
    url,
    token,
    pid: child.pid ?? 0,
    stderr: () => stderr,
    async end() {
      child.kill("SIGTERM");
      const [code] = await exited;
      return code;
    },
  };
}

/** Debian's browser. */
export const CHROMIUM = { program: "chromium", package: "chromium" };

/** Starts the browser; as root it has no sandbox of its own. */
export async function startBrowser(): Promise<Browser> {
  const path = ["/usr/bin/chromium", "/usr/bin/chromium-browser"].find((one) => existsSync(one));
  return await chromium.launch({ executablePath: path ?? "chromium", args: process.getuid?.() === 0 ? ["--no-sandbox"] : [] });
}

/** A page of its own that is closed with the test, and everything that the page asked for or complained about. */
export async function openPage(
  browser: Browser,
  options: { readonly dark?: boolean; readonly height?: number } = {},
): Promise<{ readonly page: Page; readonly asked: string[]; readonly complaints: string[] }> {
  const context = await browser.newContext({
    colorScheme: options.dark === true ? "dark" : "light",
    viewport: { width: 1_100, height: options.height ?? 900 },
    reducedMotion: "reduce",
  });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const [asked, complaints]: [string[], string[]] = [[], []];
  page.on("request", (request) => asked.push(request.url()));
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  return { page, asked, complaints };
}

/** Signs in as a human does. */
export async function signIn(page: Page, { url, token }: Pick<AdminProcess, "url" | "token">, hash = ""): Promise<void> {
  await page.goto(`${url}/${hash}`);
  await page.getByLabel("Key").fill(token);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("button", { name: "Sign out" }).waitFor();
}
