import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { resolveDelegateOptions } from "../../src/config/delegate-options.ts";
import { DELEGATE_SETTINGS, HORIZON_SETTINGS } from "../../src/config/delegate-settings.ts";
import { placeholderWarning } from "../../src/config/redis-url.ts";
import type { Surroundings } from "../../src/config/sources.ts";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "regate-delegate-"));
  writeFileSync(join(folder, "key"), "\n  a key \n", { mode: 0o600 });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const NUMBERS = Object.fromEntries(Object.values(HORIZON_SETTINGS).map(({ name }, index) => [name, String(index + 1)]));

function resolve(flags: Record<string, string>, side: "front" | "worker" = "worker", env: Record<string, string> = {}) {
  const around: Surroundings = { env, cwd: folder, home: folder, pid: 4711 };
  return resolveDelegateOptions({ values: new Map(Object.entries(flags)), switches: new Set() }, around, side);
}

const GOOD = { redis: "redis://user:secret@127.0.0.1:6379", "proof-key-file": "key", ...NUMBERS };

describe("options of delegated execution", () => {
  it("are read from flags, environment and defaults", async () => {
    const { redis: _, ...rest } = GOOD;
    const options = await resolve({ ...rest, "calls-at-once": "3" }, "worker", { REGATE_REDIS: GOOD.redis, REGATE_WORKER_NAME: "w1" });
    expect(options).toMatchObject({
      url: GOOD.redis,
      prefix: "sg",
      proofKey: "a key",
      callsAtOnce: 3,
      workerName: "w1",
      queueLimit: 10_000,
    });
    expect(options?.horizon).toEqual({
      turnCheckpointTtl: 1,
      executionLease: 2,
      claimMinIdle: 3,
      claimSweep: 4,
      maxDeliveries: 5,
      maxExec: 6,
      proofTtl: 7,
    });
  });

  it("a front without a backend needs nothing of it", async () => {
    expect(await resolve({}, "front")).toBe(undefined);
    await expect(resolve({ "tools-backend": GOOD.redis }, "front")).rejects.toThrow("turn-checkpoint-ttl");
  });

  it.each(Object.values(HORIZON_SETTINGS).map(({ name }) => name))("[002-horizon-invalid] `--%s` has no default", async (name) => {
    const { [name]: _, ...rest } = GOOD as Record<string, string>;
    await expect(resolve(rest)).rejects.toThrow(`\`--${name}\` is missing`);
    for (const bad of ["0", "-1", "1.5", "1e3", "0x10", " 5", "604801", "007", "NaN", "true"]) {
      await expect(resolve({ ...GOOD, [name]: bad })).rejects.toThrow(`--${name}`);
    }
  });

  it("a URL that is none is named without its value, which may hold a password", async () => {
    for (const url of [
      "http://user:secret@host",
      "secret",
      "redis://",
      "unix:///secret",
      "redis://u:%zzsecret@host",
      "redis://%e0%a4%a:x@host",
      "redis://u:secret@host:6379/secret",
      "redis://u:secret@host/0/1",
      "redis://u:secret@host/-1",
      "redis://u:secret@host/1e9",
      "redis://u:secret@host?db=1",
      "redis://u:secret@host/1#secret",
    ]) {
      const refused = resolve({ ...GOOD, redis: url });
      await expect(refused).rejects.toThrow("`--redis` must be a URL");
      await expect(refused).rejects.not.toThrow("secret");
    }
    for (const url of ["redis://host", "redis://host/", "rediss://:p@[::1]:6380/15"])
      await expect(resolve({ ...GOOD, redis: url })).resolves.toMatchObject({ url });
  });

  it("a key file must be a private regular file with something in it", async () => {
    writeFileSync(join(folder, "empty"), " \n", { mode: 0o600 });
    writeFileSync(join(folder, "open"), "key", { mode: 0o600 });
    chmodSync(join(folder, "open"), 0o640);
    mkdirSync(join(folder, "dir"));
    execFileSync("mkfifo", [join(folder, "pipe")]);
    for (const file of ["missing", "empty", "open", "dir", "pipe"]) {
      await expect(resolve({ ...GOOD, "proof-key-file": file })).rejects.toThrow(`\`--proof-key-file\`: key file \`${file}\``);
    }
  });

  it("every setting of it is known to this test", () => {
    expect(Object.values(DELEGATE_SETTINGS).map(({ name }) => name)).toEqual([
      "tools-backend",
      "redis",
      "redis-prefix",
      "proof-key-file",
      ...Object.values(HORIZON_SETTINGS).map(({ name }) => name),
      "queue-limit",
      "worker-name",
      "calls-at-once",
      "health-port",
    ]);
  });
});

describe("placeholderWarning", () => {
  it("names where a password of the shipped users' files is used, and no other", () => {
    expect(placeholderWarning("redis://worker:change-me-worker@10.0.0.5", "--redis")).toMatch(
      /^warning: `--redis`: user `worker` has the password/,
    );
    for (const url of [GOOD.redis, "redis://10.0.0.5", "rediss://change-me-worker:x@10.0.0.5"])
      expect(placeholderWarning(url, "--redis")).toBe(undefined);
  });
});
