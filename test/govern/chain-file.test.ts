import { spawn, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { appendToChain, readChain, watchChain } from "../../src/govern/chain-file.ts";
import type { ChainPlace } from "../../src/govern/chain-file.ts";
import { makeKey, signingKey } from "../../src/govern/key-pair.ts";
import type { SigningKey } from "../../src/govern/key-pair.ts";
import { createKey, openKey, revokeKey } from "../../src/govern/keys.ts";
import { readChainText, sealEntry } from "../../src/govern/signed-chain.ts";

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

interface Kit {
  readonly place: ChainPlace;
  readonly keysDir: string;
  readonly file: string;
  readonly head: string;
  readonly key: SigningKey;
}

const NOW = new Date("2026-11-30T12:00:00.000Z");

function kit(entries = 0): Kit {
  const folder = mkdtempSync(join(tmpdir(), "regate-chain-"));
  folders.push(folder);
  const [stateDir, keysDir] = [join(folder, "state"), join(folder, "keys")];
  createKey({ stateDir, keysDir }, { name: "anna", owner: "anna", now: NOW });
  createKey({ stateDir, keysDir }, { name: "bert", owner: "bert", now: NOW });
  const key = openKey({ stateDir, keysDir }, "anna");
  const place: ChainPlace = { stateDir, name: "elevations" };
  for (let number = 1; number <= entries; number += 1) appendToChain(place, { body: { kind: "test", number }, time: NOW }, key);
  return { place, keysDir, key, file: join(stateDir, "elevations.jsonl"), head: join(stateDir, "elevations.head") };
}

const ENTRIES = 5;
const shared = kit(ENTRIES);
const text = readFileSync(shared.file, "utf8");
const lines = text.split("\n").slice(0, -1);
const heads = readFileSync(shared.head, "utf8");

function stateOf(changed: string, head = heads): string {
  writeFileSync(shared.file, changed);
  writeFileSync(shared.head, head);
  return readChain(shared.place).kind;
}

/** What somebody without a key on record can do to the file. */
const tampering = fc.oneof(
  fc
    .record({ at: fc.nat(text.length - 1), to: fc.constantFrom("0", "a", "\n", " ", "}", "\0") })
    .map(({ at, to }) => text.slice(0, at) + to + text.slice(at + 1)),
  fc.nat(text.length - 1).map((at) => text.slice(0, at)),
  fc.nat(text.length - 1).map((at) => text.slice(0, at) + text.slice(at + 1)),
  fc.shuffledSubarray(lines, { minLength: 0, maxLength: ENTRIES }).map((some) => some.map((line) => `${line}\n`).join("")),
  fc.tuple(fc.nat(ENTRIES - 1), fc.nat(ENTRIES)).map(([from, to]) =>
    lines
      .toSpliced(to, 0, lines[from] ?? "")
      .map((line) => `${line}\n`)
      .join(""),
  ),
  fc.nat(ENTRIES - 1).map((at) => renumbered(at)),
  fc.nat(ENTRIES - 1).map((at) => resigned(at)),
);

function renumbered(at: number): string {
  return lines
    .map((line, index) => `${JSON.stringify({ ...(JSON.parse(line) as { seq: number }), ...(index >= at ? { seq: index + 2 } : {}) })}\n`)
    .join("");
}

/** Everything from one entry on, made anew by a key that is not on record under the name of one that is. */
function resigned(at: number): string {
  const mallory = signingKey(makeKey("anna").token);
  if (mallory === undefined) throw new Error("no key");
  const kept = lines.slice(0, at);
  const last = kept.at(-1);
  let after = last === undefined ? { seq: 0, hash: "0".repeat(64) } : (JSON.parse(last) as { seq: number; hash: string });
  for (let number = at; number < ENTRIES; number += 1) {
    const entry = sealEntry(
      "elevations",
      { body: { kind: "test", number: 99 }, time: NOW },
      { key: mallory, after: { seq: after.seq, hash: after.hash } },
    );
    kept.push(JSON.stringify(entry));
    after = entry;
  }
  return kept.map((line) => `${line}\n`).join("");
}

describe("a signed chain", () => {
  it("holds as it was written", () => {
    expect(stateOf(text)).toBe("ok");
  });

  it("whatever else stands in its file is found, or says the same", { timeout: 60_000 }, () => {
    fc.assert(
      fc.property(tampering, (changed) => {
        if (changed === text) return;
        expect(stateOf(changed)).toBe("broken");
      }),
      { numRuns: 300 },
    );
  });

  it("a head that was taken away or set back shows, too, but for the last step of an append", () => {
    const headOf = (seq: number) =>
      `${JSON.stringify({ seq, hash: seq === 0 ? "0".repeat(64) : (JSON.parse(lines[seq - 1] ?? "{}") as { hash: string }).hash })}\n`;
    for (let seq = 0; seq <= ENTRIES; seq += 1)
      expect([seq, stateOf(text, headOf(seq))]).toEqual([seq, seq >= ENTRIES - 1 ? "ok" : "broken"]);
    for (const head of ["", "{}", '{"seq":"5"}', "null", heads.slice(0, 20)]) expect(stateOf(text, head)).toBe("broken");
    rmSync(shared.head);
    expect(readChain(shared.place).kind).toBe("broken");
    writeFileSync(shared.head, heads, { mode: 0o600 });
    rmSync(shared.file);
    expect(readChain(shared.place)).toEqual({ kind: "broken", reason: "the file is gone" });
    writeFileSync(shared.file, text, { mode: 0o600 });
    expect(readChain(shared.place).kind).toBe("ok");
  });

  it("an older file with its older head is found by a process that has seen the newer one", () => {
    const { place, file, head, key } = kit(2);
    const old = [readFileSync(file), readFileSync(head)] as const;
    appendToChain(place, { body: { kind: "test" }, time: NOW }, key);
    const watched = watchChain(place);
    expect(watched.state().kind).toBe("ok");
    writeFileSync(file, old[0]);
    writeFileSync(head, old[1]);
    expect(readChain(place).kind).toBe("ok");
    expect(watched.state()).toEqual({ kind: "broken", reason: "it is older than what was read before" });
    rmSync(file);
    rmSync(head);
    expect(watched.state().kind).toBe("broken");
  });

  it("one that was broken and is mended is taken up again, also when no file of it has changed", async () => {
    const { place, file } = kit(1);
    const watched = watchChain(place);
    for (const path of [file, join(place.stateDir, "keys", "anna.json")]) {
      chmodSync(path, 0o644);
      writeFileSync(file, readFileSync(file));
      expect(watched.state()).toMatchObject({ kind: "broken", reason: expect.stringContaining("is open to other users") });
      chmodSync(path, 0o600);
      await expect.poll(() => watched.state().kind, { timeout: 10_000 }).toBe("ok");
    }
  });

  it("an entry of another chain does not stand in this one", () => {
    const entry = sealEntry("stops", { body: { kind: "test" }, time: NOW }, { key: shared.key, after: { seq: 0, hash: "0".repeat(64) } });
    const read = readChainText("elevations", `${JSON.stringify(entry)}\n`, () => ({
      v: 1,
      name: "anna",
      owner: "a",
      public_key: shared.key.publicKey,
      created_at: "",
    }));
    expect(read).toMatchObject({ ok: false, line: 1, reason: "its signature is not that of key `anna`" });
  });

  it("what a key signed before it was revoked stays, what it signed later breaks", () => {
    const { place, key } = kit(1);
    revokeKey(place.stateDir, "anna", new Date(NOW.getTime() + 1_000));
    expect(readChain(place).kind).toBe("ok");
    appendToChain(place, { body: { kind: "test" }, time: new Date(NOW.getTime() + 2_000) }, key);
    expect(readChain(place)).toEqual({ kind: "broken", reason: "line 2: its key `anna` was revoked before" });
    expect(() => appendToChain(place, { body: {}, time: NOW }, key)).toThrow("was revoked before");
  });

  it("a torn last line that the head never covered is cut off by the next append; one that it covered is not", () => {
    const { place, file, key } = kit(2);
    const whole = readFileSync(file, "utf8");
    for (const torn of ["{", '{"v":1,"seq":3', (lines[2] ?? "").slice(0, -1), "\u{e4}"]) {
      writeFileSync(file, whole + torn);
      expect(readChain(place)).toEqual({ kind: "broken", reason: "line 3: the last line is not whole" });
      const fresh = kit(2);
      writeFileSync(fresh.file, readFileSync(fresh.file, "utf8") + torn);
      appendToChain(fresh.place, { body: { kind: "test" }, time: NOW }, fresh.key);
      expect(readChain(fresh.place)).toMatchObject({ kind: "ok", end: { seq: 3 } });
    }
    writeFileSync(file, whole.slice(0, -1));
    expect(() => appendToChain(place, { body: {}, time: NOW }, key)).toThrow("the last line is not whole");
    expect(readFileSync(file, "utf8")).toBe(whole.slice(0, -1));
  });

  it("its files are private, and a chain that is not is broken", () => {
    const { file, head, place } = kit(1);
    for (const path of [file, head]) expect(statSync(path).mode & 0o777).toBe(0o600);
    writeFileSync(file, readFileSync(file));
    rmSync(head);
    expect(readChain(place).kind).toBe("ok");
  });
});

describe("kill -9 during appends", () => {
  it("time and again between an entry and its head leaves a chain that holds", () => {
    const { place, keysDir } = kit(1);
    for (let seq = 2; seq <= 4; seq += 1) {
      const script = `
        import fs from "node:fs";
        import { syncBuiltinESMExports } from "node:module";
        const { appendToChain } = await import(${JSON.stringify(new URL("../../dist/govern/chain-file.js", import.meta.url).href)});
        const { openKey } = await import(${JSON.stringify(new URL("../../dist/govern/keys.js", import.meta.url).href)});
        const { renameSync } = fs;
        fs.renameSync = (from, to) => {
          if (to.endsWith(".head") && JSON.parse(fs.readFileSync(from, "utf8")).seq === ${seq}) process.kill(process.pid, "SIGKILL");
          renameSync(from, to);
        };
        syncBuiltinESMExports();
        const place = ${JSON.stringify(place)};
        const key = openKey({ stateDir: place.stateDir, keysDir: ${JSON.stringify(keysDir)} }, "anna");
        appendToChain(place, { body: { kind: "test" }, time: new Date() }, key);`;
      expect(spawnSync(process.execPath, ["--input-type=module", "-e", script]).signal).toBe("SIGKILL");
      expect(readChain(place)).toMatchObject({ kind: "ok", end: { seq } });
    }
  });

  it(
    "leaves a chain that holds, or that the next append makes hold, with every entry that was confirmed",
    { timeout: 60_000 },
    async () => {
      const { place, keysDir, key, file } = kit();
      let confirmed = 0;
      for (let round = 0; round < 8; round += 1) {
        const script = `
        const { appendToChain } = await import(${JSON.stringify(new URL("../../dist/govern/chain-file.js", import.meta.url).href)});
        const { openKey } = await import(${JSON.stringify(new URL("../../dist/govern/keys.js", import.meta.url).href)});
        const place = ${JSON.stringify(place)};
        const key = openKey({ stateDir: place.stateDir, keysDir: ${JSON.stringify(keysDir)} }, "anna");
        for (;;) process.stdout.write(appendToChain(place, { body: { kind: "test" }, time: new Date() }, key).seq + "\\n");`;
        const child = spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: ["ignore", "pipe", "inherit"] });
        let out = "";
        child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()));
        while (!out.includes("\n")) await new Promise((resolve) => setTimeout(resolve, 5));
        await new Promise((resolve) => setTimeout(resolve, 1 + ((round * 7) % 23)));
        child.kill("SIGKILL");
        await new Promise((resolve) => child.once("close", resolve));
        confirmed = Number(out.trimEnd().split("\n").at(-1));
        const state = readChain(place);
        if (state.kind === "broken") expect(state.reason).toContain("the last line is not whole");
        const next = appendToChain(place, { body: { kind: "test" }, time: new Date() }, key);
        expect(next.seq).toBeGreaterThan(confirmed);
        expect(readChain(place).kind).toBe("ok");
      }
      expect(existsSync(file)).toBe(true);
    },
  );
});
