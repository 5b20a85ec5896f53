import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import axe from "axe-core";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
// The example is a script of its own.
import { buildBundle } from "../../examples/approval/build-bundle.mjs";
import { haveSystemPart } from "../system-part.ts";
import { CHROMIUM, openPage, signIn, startAdmin, startBrowser } from "./admin-kit.ts";
import type { AdminProcess } from "./admin-kit.ts";
import { connect, temporaryFolder } from "./client.ts";
import type { Answer, Session } from "./client.ts";

const folder = mkdtempSync(join(tmpdir(), "regate-page-"));
let browser: Browser;
let bundle: string;

beforeAll(async () => {
  bundle = buildBundle(folder);
  browser = await startBrowser();
}, 240_000);
afterAll(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A real server whose policy asks for approvals, and an admin server on the same state directory. */
async function scene(): Promise<{ readonly session: Session; readonly admin: AdminProcess; readonly workdir: string }> {
  const workdir = temporaryFolder("regate-work-");
  const session = await connect(["--bundle", bundle, "--sandbox", "none", "--agent-id", "release-bot", "--workdir", workdir]);
  return { session, workdir, admin: await startAdmin(session.stateDir) };
}

const append = (file: string): { command: string } => ({ command: `echo ran >> ${file}` });
const ran = (workdir: string, file: string): string => (existsSync(join(workdir, file)) ? readFileSync(join(workdir, file), "utf8") : "");

/** Scrolls every call of the page to its end, as a human does with the keyboard. */
async function seeAll(page: Page): Promise<void> {
  for (const region of await page.getByRole("region", { name: /Exact call/ }).all()) {
    await region.focus();
    await page.keyboard.press("End");
    await region.evaluate((element) => element.lastElementChild?.scrollIntoView());
  }
  await page.waitForFunction(() => document.querySelectorAll(".seen:not(.yes)").length === 0);
}

/** The name of what has the focus. */
const focusedOn = (page: Page): Promise<string> =>
  page.evaluate(() => document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.textContent ?? "");

async function seriousFindings(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  const { violations, passes } = await page.evaluate(async () => await (globalThis as any).axe.run(document));
  expect(passes.length).toBeGreaterThan(10);
  return violations
    .filter(({ impact }: { impact: string }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }: { id: string; nodes: { html: string }[] }) => `${id}: ${nodes.map(({ html }) => html).join(" | ")}`);
}

describe.skipIf(!haveSystemPart(CHROMIUM))("the approvers' page in a real browser", { timeout: 180_000 }, () => {
  it("a real call waits, is approved on the page, and runs once", async () => {
    const { session, admin, workdir } = await scene();
    const { page, asked, complaints } = await openPage(browser, { height: 400 });
    await signIn(page, admin);
    await page.getByText("Nothing waits for you.").waitFor();
    const pending = await session.call("run_shell", append("log"));
    expect(pending.code).toBe("approval.pending");
    const card = page.getByRole("article");
    await card.waitFor();
    const text = await card.getByRole("region", { name: /Exact call/ }).innerText();
    expect(text).toContain("echo ran >> log");
    expect(await card.innerText()).toContain("second_person.needed");
    expect(await page.title()).toBe("(1) Regate");
    const approve = card.getByRole("button", { name: "Approve" });
    expect(await approve.isDisabled()).toBe(true);
    await seeAll(page);
    await card.getByLabel("Reason").fill("looks right");
    await approve.click();
    await page.getByText("Nothing waits for you.").waitFor();
    expect(ran(workdir, "log")).toBe("");
    expect((await session.call("run_shell", append("log"))).isError).toBe(false);
    expect((await session.call("run_shell", append("log"))).code).toBe("approval.pending");
    expect(ran(workdir, "log")).toBe("ran\n");
    expect(asked.filter((url) => !url.startsWith(`${admin.url}/`))).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it("a denial needs a reason, and the agent is told", async () => {
    const { session, admin, workdir } = await scene();
    await session.call("run_shell", append("log"));
    const { page } = await openPage(browser);
    await signIn(page, admin);
    const card = page.getByRole("article");
    await card.getByRole("button", { name: "Deny" }).click();
    await card.getByText("a denial needs a reason").waitFor();
    await card.getByLabel("Reason").fill("not today");
    await card.getByRole("button", { name: "Deny" }).click();
    await page.getByText("Nothing waits for you.").waitFor();
    expect((await session.call("run_shell", append("log"))).code).toBe("approval.denied");
    expect(ran(workdir, "log")).toBe("");
  });

  it("U10: ten calls at once are one group; seven are approved and run once, three are denied", async () => {
    const { session, admin, workdir } = await scene();
    const { page } = await openPage(browser);
    await signIn(page, admin);
    const names = Array.from({ length: 10 }, (_, index) => `log${index}`);
    const callAll = (): Promise<Answer[]> => Promise.all(names.map((name) => session.call("run_shell", append(name))));
    expect((await callAll()).map(({ code }) => code)).toEqual(names.map(() => "approval.pending"));
    await page.getByRole("heading", { name: "10 calls together of release-bot" }).waitFor();
    const card = page.getByRole("article");
    expect(await card.count()).toBe(1);
    for (const name of names.slice(7))
      await card
        .locator("section", { hasText: `>> ${name}` })
        .getByRole("checkbox")
        .uncheck();
    await seeAll(page);
    await card.getByRole("button", { name: "Approve 7 selected" }).click();
    await card.getByRole("heading", { name: "3 calls together of release-bot" }).waitFor();
    for (const box of await card.getByRole("checkbox").all()) await box.check();
    await card.getByLabel("Reason").fill("these not");
    await card.getByRole("button", { name: "Deny 3 selected" }).click();
    await page.getByText("Nothing waits for you.").waitFor();
    expect((await callAll()).map(({ code }) => code ?? "ran")).toEqual(names.map((_, index) => (index < 7 ? "ran" : "approval.denied")));
    expect(names.map((name) => ran(workdir, name))).toEqual(names.map((_, index) => (index < 7 ? "ran\n" : "")));
  });

  it("P09: control, format and padding characters are visible, and long text cannot hide its end", async () => {
    const { session, admin } = await scene();
    const { page } = await openPage(browser, { height: 600 });
    await signIn(page, admin);
    await session.call("run_shell", { command: "touch ok \u202e; mr- /srv/app\u202c\u200b" });
    await page.getByRole("article").waitFor();
    const shown = await page.getByRole("region", { name: /Exact call/ }).innerText();
    expect(shown).not.toMatch(/[\u202a-\u202e\u200b\u2066-\u2069]/u);
    expect(shown).toMatch(/202e/i);
    await page.getByRole("article").getByLabel("Reason").fill("no");
    await page.getByRole("button", { name: "Deny" }).click();
    await page.getByText("Nothing waits for you.").waitFor();
    await session.call("run_shell", { command: `touch ok${" ".repeat(4_000)}; touch /srv/app/x` });
    await page.getByRole("article").waitFor();
    await page.waitForTimeout(300);
    expect(await page.getByRole("button", { name: "Approve" }).isDisabled()).toBe(true);
    await seeAll(page);
    expect(await page.getByRole("button", { name: "Approve" }).isEnabled()).toBe(true);
  });

  it("U03: the switch of a session stops it with a reason, and resumes it", async () => {
    const { session, admin } = await scene();
    const { page } = await openPage(browser);
    await signIn(page, admin, "#/sessions");
    const toggle = page.getByRole("switch", { name: "Session of release-bot may act" });
    await toggle.click();
    const dialog = page.getByRole("dialog");
    expect(await dialog.getByRole("button", { name: "Stop", exact: true }).isDisabled()).toBe(true);
    await dialog.getByLabel("Reason").fill("wrong cluster");
    await dialog.getByRole("button", { name: "Stop", exact: true }).click();
    await page.getByText("wrong cluster").waitFor();
    await page.waitForFunction(() => document.querySelector("[role=switch]")?.getAttribute("aria-checked") === "false");
    expect((await session.call("run_shell", { command: "ls" })).code).toBe("gate.stopped");
    await toggle.click();
    await dialog.getByLabel("Reason").fill("mended");
    await dialog.getByRole("button", { name: "Resume" }).click();
    await page.waitForFunction(() => document.querySelector("[role=switch]")?.getAttribute("aria-checked") === "true");
    expect((await session.call("run_shell", { command: "ls" })).isError).toBe(false);
  });

  it("decisions are listed, filtered and explained", async () => {
    const { session, admin } = await scene();
    await session.call("run_shell", { command: "ls" });
    await session.call("run_shell", append("log"));
    const { page } = await openPage(browser);
    await signIn(page, admin, "#/decisions");
    await page.getByLabel("Outcome").selectOption("refused");
    await page.waitForFunction(() => document.querySelectorAll(".decision").length === 1);
    await page.locator(".decision summary").click();
    await page.getByText("The call waits for the approval of somebody else.").waitFor();
    await page.getByLabel("Text", { exact: true }).fill("no such text");
    await page.keyboard.press("Tab");
    await page.getByText("No decision matches.").waitFor();
    expect(await page.locator(".decision").count()).toBe(0);
  });

  it("what is typed into a filter stays while decisions come in", async () => {
    const { session, admin } = await scene();
    await session.call("run_shell", { command: "ls" });
    const { page } = await openPage(browser);
    await signIn(page, admin, "#/decisions");
    await page.waitForFunction(() => document.querySelectorAll(".decision").length === 1);
    const field = page.getByLabel("Text", { exact: true });
    await field.fill("no such text");
    await session.call("run_shell", append("log"));
    await page.waitForFunction(() => document.querySelectorAll(".decision").length === 2);
    expect(await field.inputValue()).toBe("no such text");
    await page.keyboard.press("Tab");
    await page.getByText("No decision matches.").waitFor();
    await page.getByRole("button", { name: "Clear" }).click();
    await page.waitForFunction(() => document.querySelectorAll(".decision").length === 2);
    expect(await field.inputValue()).toBe("");
  });

  it("everything can be done with the keyboard alone", async () => {
    const { session, admin, workdir } = await scene();
    await session.call("run_shell", append("log"));
    const { page } = await openPage(browser, { height: 400 });
    await page.goto(admin.url);
    await page.waitForFunction(() => document.activeElement instanceof HTMLInputElement);
    await page.keyboard.type(admin.token);
    await page.keyboard.press("Enter");
    await page.getByRole("article").waitFor();
    const tabTo = async (name: RegExp): Promise<void> => {
      for (let presses = 0; !name.test(await focusedOn(page)); presses += 1) {
        expect(presses, `no ${name} by keyboard`).toBeLessThan(60);
        await page.keyboard.press("Tab");
      }
    };
    await tabTo(/^Exact call/);
    await page.keyboard.press("End");
    await page.getByText("You have seen all of it.").waitFor();
    await tabTo(/^Approve$/);
    await page.keyboard.press("Enter");
    await page.getByText("Nothing waits for you.").waitFor();
    expect(await focusedOn(page)).toBe("Requests");
    expect((await session.call("run_shell", append("log"))).isError).toBe(false);
    expect(ran(workdir, "log")).toBe("ran\n");
  });

  it("a card that another approver's answer takes away hands its focus on", async () => {
    const { session, admin } = await scene();
    await session.call("run_shell", append("log"));
    const { page } = await openPage(browser);
    await signIn(page, admin);
    await page.getByLabel("Reason").focus();
    const { page: other } = await openPage(browser);
    await signIn(other, admin);
    await other.getByLabel("Reason").fill("not today");
    await other.getByRole("button", { name: "Deny" }).click();
    await page.getByText("Nothing waits for you.").waitFor();
    expect(await focusedOn(page)).toBe("Requests");
  });

  it("the key stays in the tab: no cookie, no lasting storage, gone when signed out or revoked", async () => {
    const { session, admin } = await scene();
    const { page } = await openPage(browser);
    await page.goto(admin.url);
    await page.getByLabel("Key").fill(`rgk_anna_${"A".repeat(43)}`);
    await page.keyboard.press("Enter");
    await page.getByText("This is no key on record here.").waitFor();
    await signIn(page, admin);
    const kept = (): Promise<string> =>
      page.evaluate(() =>
        JSON.stringify([
          document.cookie,
          Object.entries(localStorage),
          Object.entries(sessionStorage),
          document.documentElement.outerHTML.includes("rgk_"),
        ]),
      );
    expect(await kept()).toBe(JSON.stringify(["", [], [["regate.key", admin.token]], false]));
    await page.reload();
    await page.getByRole("button", { name: "Sign out" }).click();
    expect(await kept()).toBe(JSON.stringify(["", [], [], false]));
    await signIn(page, admin);
    const record = join(session.stateDir, "keys", "anna.json");
    writeFileSync(record, JSON.stringify({ ...JSON.parse(readFileSync(record, "utf8")), revoked_at: new Date().toISOString() }), {
      mode: 0o600,
    });
    await page.getByText("Your key is no longer accepted.").waitFor();
    expect(await page.locator("article").count()).toBe(0);
  });

  it("axe-core finds nothing serious on any view, in light and dark", async () => {
    const { session, admin } = await scene();
    await Promise.all([append("a"), append("b"), { command: `touch ${"x".repeat(9_000)}` }].map((args) => session.call("run_shell", args)));
    await session.call("run_shell", { command: "ls" });
    for (const dark of [false, true]) {
      const { page } = await openPage(browser, { dark });
      await page.goto(admin.url);
      expect(await seriousFindings(page)).toEqual([]);
      await signIn(page, admin);
      await page.getByRole("article").waitFor();
      await page.getByText("Details").first().click();
      expect(await seriousFindings(page)).toEqual([]);
      await page.getByRole("link", { name: "Decisions" }).click();
      await page.locator(".decision summary").first().click();
      expect(await seriousFindings(page)).toEqual([]);
      await page.getByRole("link", { name: "Sessions" }).click();
      await page.getByRole("switch").click();
      expect(await seriousFindings(page)).toEqual([]);
      await page.keyboard.press("Escape");
      for (const name of ["Stops and grants", "Recordings"]) {
        await page.getByRole("link", { name }).click();
        await page.getByRole("heading", { name, level: 1 }).waitFor();
        expect(await seriousFindings(page)).toEqual([]);
      }
    }
  });
});
