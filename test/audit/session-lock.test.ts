import { spawn, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { lockSession } from "../../src/audit/session-lock.ts";

const MODULE = new URL("../../dist/audit/session-lock.js", import.meta.url).href;

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "regate-lock-"));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

/** Takes a lock in a process that ends without giving it back, and gives what the lock says of it. */
function abandonedBy(place: string, name: string): { readonly nonce: string } {
  const script = `
    const { lockSession } = await import(${JSON.stringify(MODULE)});
    lockSession(${JSON.stringify(place)}, ${JSON.stringify(name)});
    process.kill(process.pid, "SIGKILL");`;
  expect(spawnSync(process.execPath, ["--input-type=module", "-e", script]).signal).toBe("SIGKILL");
  return JSON.parse(readFileSync(join(place, name), "utf8")) as { nonce: string };
}

it("a lock of a process that is gone is taken over, and nothing is left behind", () => {
  const place = folder();
  abandonedBy(place, "x.lock");
  const release = lockSession(place, "x.lock");
  expect(() => lockSession(place, "x.lock")).toThrow(/is in use/);
  release();
  expect(readdirSync(place)).toEqual([]);
});

it("also when one that was about to take it over was killed before it could, and the next one as well", () => {
  const place = folder();
  const gone = abandonedBy(place, "x.lock");
  const first = abandonedBy(place, "first");
  const second = abandonedBy(place, "second");
  writeFileSync(join(place, `x.lock.turn.${gone.nonce}`), readFileSync(join(place, "first")));
  writeFileSync(join(place, `x.lock.turn.${first.nonce}`), readFileSync(join(place, "second")));
  expect(second.nonce).not.toBe(first.nonce);
  lockSession(place, "x.lock")();
  expect(readdirSync(place).toSorted()).toEqual(["first", "second"]);
});

it("a claim of a living process, one that nobody can read and one that leads in a circle leave the lock where it is", () => {
  const place = folder();
  const gone = abandonedBy(place, "x.lock");
  const turn = join(place, `x.lock.turn.${gone.nonce}`);
  const release = lockSession(place, "alive");
  for (const content of [readFileSync(join(place, "alive")), "{", JSON.stringify({ ...gone, nonce: "../x" }), JSON.stringify(gone)]) {
    writeFileSync(turn, content);
    expect(() => lockSession(place, "x.lock")).toThrow(/is in use/);
    expect(JSON.parse(readFileSync(join(place, "x.lock"), "utf8"))).toEqual(gone);
  }
  release();
});

it("a holder elsewhere cannot be judged and keeps its lock", () => {
  const place = folder();
  const holder = { pid: 1, started: "1", host: `${hostname()}-other`, namespace: "", nonce: randomUUID() };
  writeFileSync(join(place, "x.lock"), JSON.stringify(holder));
  expect(() => lockSession(place, "x.lock")).toThrow(/is in use/);
});

it("of many processes that take over at once exactly one succeeds", { timeout: 120_000 }, async () => {
  const place = folder();
  abandonedBy(place, "x.lock");
  const script = `
    const { lockSession } = await import(${JSON.stringify(MODULE)});
    try { lockSession(${JSON.stringify(place)}, "x.lock"); console.log("got"); } catch { console.log("not"); }
    process.stdin.resume();`;
  const children = Array.from({ length: 6 }, () =>
    spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: ["pipe", "pipe", "inherit"] }),
  );
  onTestFinished(() => children.forEach((child) => child.kill("SIGKILL")));
  // None of them ends before all have said how it went: what one gives up another could take.
  const said = await Promise.all(children.map(({ stdout }) => once(stdout, "data")));
  expect(said.map(String).toSorted()).toEqual(["got\n", ...Array.from({ length: 5 }, () => "not\n")]);
});

it("what cannot be written leaves nothing behind", () => {
  const place = folder();
  const script = `
    const { lockSession } = await import(${JSON.stringify(MODULE)});
    process.on("SIGXFSZ", () => {});
    try { lockSession(${JSON.stringify(place)}, "x.lock"); } catch (error) { process.exitCode = error.code === "EFBIG" ? 7 : 8; }`;
  const ended = spawnSync("bash", ["-c", 'ulimit -f 0; exec "$0" --input-type=module -e "$1"', process.execPath, script]);
  expect([ended.status, readdirSync(place)]).toEqual([7, []]);
});
