// Takes the pictures of docs/admin.md: real servers, real calls, the real page in Debian's chromium. `node scripts/admin-screenshots.mjs`
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { chromium } from "playwright-core";
import { buildBundle } from "../examples/approval/build-bundle.mjs";

const OUT = "docs/img";
const folder = mkdtempSync(join(tmpdir(), "regate-shots-"));
const [stateDir, keysDir, workdir] = ["state", "keys", "shop"].map((name) => join(folder, name));
const regate = (...words) => execFileSync(process.execPath, ["bin/regate.js", ...words, "--state-dir", stateDir], { encoding: "utf8" });

async function startAdmin() {
  const child = spawn(process.execPath, ["bin/regate.js", "admin", "serve", "--state-dir", stateDir, "--listen", "127.0.0.1:0"], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  child.stderr.on("data", (chunk) => (said += chunk));
  for (;;) {
    const [url] = /http:\/\/[0-9.:]+/.exec(said) ?? [];
    if (url !== undefined) return { child, url };
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function startAgent(bundle, name) {
  const client = new Client({ name: "example-client", version: "1.2.0" });
  const args = ["bin/regate.js", "serve", "--bundle", bundle, "--state-dir", stateDir, "--workdir", workdir, "--agent-id", name];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: "ignore" }));
  return {
    run: (command) => client.callTool({ name: "run_shell", arguments: { command } }),
    call: (tool) => client.callTool({ name: tool, arguments: {} }),
    client,
  };
}

/** What happens before the pictures are taken. */
async function play(bundle) {
  const [release, research] = [await startAgent(bundle, "release-bot"), await startAgent(bundle, "research-agent")];
  await research.call("whoami");
  for (const command of ["ls", "wc -l CHANGES", "head CHANGES"]) await research.run(command);
  await release.run("git tag v1.4.2");
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  await Promise.all([research.run("mkdir -p reports"), research.run("cp CHANGES reports/changes.txt")]);
  return [release, research];
}

async function take(browser, { url, token }) {
  const shot = async (page, name) => writeFileSync(join(OUT, `${name}.png`), await page.screenshot());
  for (const scheme of ["light", "dark"]) {
    const page = await browser.newPage({ viewport: { width: 1_000, height: 860 }, colorScheme: scheme });
    await page.goto(url);
    await page.getByLabel("Key").fill(token);
    await page.keyboard.press("Enter");
    await page.getByRole("article").first().waitFor();
    await page.waitForTimeout(500);
    await shot(page, `requests-${scheme}`);
    await page.getByRole("link", { name: "Decisions" }).click();
    await page.locator(".decision summary", { hasText: "waiting" }).first().click();
    if (scheme === "light") await shot(page, "decisions-light");
    await page.getByRole("link", { name: "Sessions" }).click();
    await page.getByRole("switch").first().waitFor();
    if (scheme === "dark") await shot(page, "sessions-dark");
    await page.close();
  }
}

mkdirSync(OUT, { recursive: true });
mkdirSync(workdir);
writeFileSync(join(workdir, "CHANGES"), "1.4.2 faster\n1.4.1 quieter\n");
const bundle = buildBundle(join(folder, "policy"));
regate("keys", "create", "anna", "--owner", "anna@example.org", "--keys-dir", keysDir);
const admin = await startAdmin();
const agents = await play(bundle);
regate("stop", "--agent", "research-agent", "--reason", "writes into the wrong folder", "--key", "anna", "--keys-dir", keysDir);
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: process.getuid?.() === 0 ? ["--no-sandbox"] : [] });
try {
  await take(browser, { url: admin.url, token: readFileSync(join(keysDir, "anna.key"), "utf8").trim() });
} finally {
  await browser.close();
  for (const { client } of agents) await client.close();
  admin.child.kill();
  rmSync(folder, { recursive: true, force: true });
}
