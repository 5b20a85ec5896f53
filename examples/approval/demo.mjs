// Four eyes, played from end to end: an agent asks, waits, a human approves on the page in a real browser, and the call runs once.
// Exit code 0 only if every step is what it must be.
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { chromium } from "playwright-core";
import { buildBundle } from "./build-bundle.mjs";

const REGATE = fileURLToPath(new URL("../../bin/regate.js", import.meta.url));
const COMMAND = "echo released >> release.log";
const browserPath = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((path) => existsSync(path));

const folder = mkdtempSync(join(tmpdir(), "regate-approval-"));
const [stateDir, keysDir, workdir] = ["state", "keys", "work"].map((name) => join(folder, name));
let steps = 0;

function step(text, isTrue) {
  steps += 1;
  console.log(`${isTrue ? "ok  " : "FAIL"} ${steps}. ${text}`);
  if (!isTrue) throw new Error(`step ${steps} is not what it must be`);
}

async function startAdmin() {
  const child = spawn(process.execPath, [REGATE, "admin", "serve", "--state-dir", stateDir, "--listen", "127.0.0.1:0"], {
    stdio: ["ignore", "inherit", "pipe"],
  });
  const url = await new Promise((resolve, reject) => {
    let said = "";
    child.stderr.on("data", (chunk) => {
      said += chunk;
      const [found] = /http:\/\/[0-9.:]+/.exec(said) ?? [];
      if (found !== undefined) resolve(found);
    });
    child.once("exit", (code) => reject(new Error(`the admin server ended with ${code}: ${said}`)));
  });
  return { child, url };
}

async function startAgent(bundle) {
  const client = new Client({ name: "approval-demo", version: "1.0.0" });
  const args = [
    "serve",
    "--bundle",
    bundle,
    "--state-dir",
    stateDir,
    "--workdir",
    workdir,
    "--agent-id",
    "release-bot",
    "--approval-wait",
    "120",
  ];
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [REGATE, ...args], stderr: "ignore" }));
  return client;
}

/** A call that waits for a human, with the progress that it reports meanwhile. */
function ask(client, command) {
  const progress = [];
  const answer = client.callTool({ name: "run_shell", arguments: { command } }, undefined, {
    onprogress: (message) => progress.push(message),
    timeout: 150_000,
    resetTimeoutOnProgress: true,
  });
  return { answer, progress };
}

const codeOf = (answer) => answer._meta?.["regate/decision"]?.code ?? "ok";
const released = () => (existsSync(join(workdir, "release.log")) ? readFileSync(join(workdir, "release.log"), "utf8") : "");

/** Scrolls through the call as a human does with the keyboard. */
async function seeAll(page, card) {
  await card.getByRole("region", { name: /Exact call/ }).focus();
  await page.keyboard.press("End");
  await card.getByText("You have seen all of it.").waitFor();
}

async function play({ client, page, url, token }) {
  const plain = await client.callTool({ name: "run_shell", arguments: { command: "ls" } });
  step("what only reads needs nobody", codeOf(plain) === "ok" && plain.isError !== true);

  const first = ask(client, COMMAND);
  await page.goto(url);
  await page.getByLabel("Key").fill(token);
  await page.getByRole("button", { name: "Sign in" }).click();
  const card = page.getByRole("article");
  await card.waitFor();
  step(
    "the request is on the page, with the agent's name and the policy's reason",
    /release-bot/.test(await card.innerText()) && /somebody else has to agree/.test(await card.innerText()),
  );
  step("the exact call is there, whole", (await card.getByRole("region", { name: /Exact call/ }).innerText()).includes(COMMAND));
  step("nothing has run while the call waits", released() === "");
  step("approve is disabled until the end of the call was on the screen", await card.getByRole("button", { name: "Approve" }).isDisabled());
  await seeAll(page, card);
  await card.getByLabel("Reason").fill("the release is planned");
  await card.getByRole("button", { name: "Approve" }).click();
  const done = await first.answer;
  step("approved: the waiting call runs and succeeds", codeOf(done) === "ok" && done.isError !== true);
  step("it ran once", released() === "released\n");
  await page.getByText("Nothing waits for you.").waitFor();

  const second = ask(client, COMMAND);
  await card.waitFor();
  step("the same call again is another request: an approval is used once", released() === "released\n");
  await card.getByRole("button", { name: "Deny" }).click();
  step("a denial needs a reason", await card.getByText("a denial needs a reason").isVisible());
  await card.getByLabel("Reason").fill("once is enough");
  await card.getByRole("button", { name: "Deny" }).click();
  const refused = await second.answer;
  step("denied: the call is refused and nothing has run", codeOf(refused) === "approval.denied" && released() === "released\n");

  await page.getByRole("link", { name: "Decisions" }).click();
  await page.getByText("approval.denied").first().waitFor();
  step("the decisions are on the page", true);
}

let admin;
let client;
let browser;
try {
  if (browserPath === undefined) throw new Error("no browser: apt-get install chromium");
  mkdirSync(workdir);
  const bundle = buildBundle(join(folder, "policy"));
  execFileSync(process.execPath, [
    REGATE,
    "keys",
    "create",
    "anna",
    "--owner",
    "anna@example.org",
    "--state-dir",
    stateDir,
    "--keys-dir",
    keysDir,
  ]);
  const token = readFileSync(join(keysDir, "anna.key"), "utf8").trim();
  admin = await startAdmin();
  client = await startAgent(bundle);
  browser = await chromium.launch({ executablePath: browserPath, args: process.getuid?.() === 0 ? ["--no-sandbox"] : [] });
  await play({ client, page: await browser.newPage({ viewport: { width: 1_000, height: 420 } }), url: admin.url, token });
  console.log(`${steps} steps, each what it must be`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  await browser?.close();
  await client?.close();
  admin?.child.kill();
  rmSync(folder, { recursive: true, force: true });
}
