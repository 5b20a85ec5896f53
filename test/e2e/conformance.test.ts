import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { temporaryFolder } from "./client.ts";
import { startHttp } from "./http-kit.ts";
import { PROGRAM } from "./run.ts";

const FOLDER = `${process.cwd()}/test/e2e/conformance`;
const SUITE = `${process.cwd()}/node_modules/@modelcontextprotocol/conformance`;
const ENTRYPOINTS = ["gate/decision", "gate/listing", "gate/message", "gate/result"].flatMap((name) => ["-e", name]);

// A bundle under which everything passes, unknown methods too: the suite asks for one.
const folder = mkdtempSync(join(tmpdir(), "regate-conformance-"));
const everything = join(folder, "everything.tar.gz");
beforeAll(() => {
  execFileSync(process.execPath, [PROGRAM, "policy", "build", ...ENTRYPOINTS, "-o", everything, join(FOLDER, "everything.rego")]);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The fixture over HTTP in a process of its own, and a configuration that names it. */
async function httpFixture(): Promise<string> {
  const child = spawn(process.execPath, [join(FOLDER, "http.mjs")], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [address] = (await once(child.stdout.setEncoding("utf8"), "data")) as [string];
  const file = join(temporaryFolder(), "mcp.json");
  writeFileSync(file, JSON.stringify({ mcpServers: { fixture: { url: address.trim() } } }));
  return file;
}

/** Names of the scenarios that a revision requires of a server, as the suite itself lists them. */
function required(revision: string): string[] {
  const [, list = ""] = readFileSync(join(SUITE, "requirements", `${revision}.yaml`), "utf8").split(/^server:\n/m);
  const [own = ""] = list.split(/^\S/m);
  return [...own.matchAll(/^ {2}- (\S+)$/gm)].map(([, name]) => name ?? "");
}

/** Runs the suite, or one scenario, against an address; gives the scenarios that passed as a whole, and what it printed. */
async function run(url: string, ...which: readonly string[]): Promise<{ readonly passed: ReadonlySet<string>; readonly output: string }> {
  const words = ["--import", join(FOLDER, "shim.mjs"), join(SUITE, "dist/index.js"), "server", "--url", url, ...which];
  const child = spawn(process.execPath, [...words, "-o", temporaryFolder()], { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => (output += chunk));
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (output += chunk));
  await once(child, "close");
  const summary = output.split("=== SUMMARY ===")[1] ?? "";
  return { passed: new Set([...summary.matchAll(/^✓ (\S+): \d+ passed, 0 failed$/gm)].map(([, name]) => name ?? "")), output };
}

describe("[gateway:conformance] the official suite through the gateway", () => {
  it.each([
    ["2025-11-25", 30, "stdio"],
    ["2025-11-25", 30, "HTTP"],
    ["2026-07-28", 37, "stdio"],
    ["2026-07-28", 37, "HTTP"],
  ] as const)(
    "%s: all %i scenarios pass, with the fixture behind it over %s",
    async (revision, count, transport) => {
      const bundle = ["proxy", "--bundle", everything];
      const upstream = transport === "HTTP" ? ["--config", await httpFixture()] : ["--", process.execPath, join(FOLDER, "stdio.mjs")];
      const gateway = await startHttp([...bundle, ...upstream]);
      const { passed, output } = await run(gateway.url, "--requirements", revision);
      const names = required(revision);
      expect(names).toHaveLength(count);
      expect(
        names.filter((name) => !passed.has(name)),
        output,
      ).toEqual([]);
    },
    180_000,
  );

  it.each(["http-header-validation", "http-custom-header-server-validation"])(
    "%s, which no revision requires yet, passes as well",
    async (scenario) => {
      const properties = { region: { type: "string", "x-mcp-header": "Region" }, n: { type: "integer", "x-mcp-header": "N" } };
      const tool = { name: "route", description: "a tool with headers", inputSchema: { type: "object", properties } };
      const fixture = [join(process.cwd(), "test/upstream/fixture-server.mjs"), "-", JSON.stringify({ modern: true, only: [tool] })];
      const gateway = await startHttp(["proxy", "--bundle", "agent-session", "--", process.execPath, ...fixture]);
      const { output } = await run(gateway.url, "--scenario", scenario);
      expect(output).toMatch(/Passed: (\d\d)\/\1, 0 failed, 0 warnings/);
    },
    180_000,
  );
});
