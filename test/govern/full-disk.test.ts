import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../audit/kit.ts";
import { haveSystemPart } from "../system-part.ts";

const BWRAP = { program: "bwrap", package: "bubblewrap" };
const moduleOf = (name: string): string => JSON.stringify(new URL(`../../dist/govern/${name}.js`, import.meta.url).href);

/**
 * Runs a script in which `folder` is a disk of 128 KiB with a key named `anna`, `fill()` takes its last byte but for so many pages, and `free()`
 * gives all of it back.
 * @returns what the script told
 */
function onSmallDisk(body: string): unknown {
  const folder = temporaryFolder();
  const script = `
    import { readdirSync, rmSync, writeFileSync, appendFileSync } from "node:fs";
    const { appendToChain, readChain } = await import(${moduleOf("chain-file")});
    const { createStoreFile, replaceStoreFile } = await import(${moduleOf("store-file")});
    const { createKey, openKey } = await import(${moduleOf("keys")});
    const folder = ${JSON.stringify(folder)};
    const places = { stateDir: folder + "/state", keysDir: folder + "/keys" };
    const now = new Date();
    createKey(places, { name: "anna", owner: "anna", now });
    const key = openKey(places, "anna");
    const fill = (pages = 0) => {
      for (let page = 0; page < pages; page += 1) writeFileSync(folder + "/spare" + page, Buffer.alloc(4096));
      for (const size of [4096, 1]) try { for (;;) appendFileSync(folder + "/filler", Buffer.alloc(size)); } catch {}
      for (let page = 0; page < pages; page += 1) rmSync(folder + "/spare" + page);
    };
    const free = () => rmSync(folder + "/filler", { force: true });
    const tried = (act) => { try { return act(); } catch (error) { return error.code; } };
    const told = [];
    ${body}
    process.stdout.write(JSON.stringify(told));`;
  const args = ["--dev-bind", "/", "/", "--size", "131072", "--tmpfs", folder, "--", process.execPath, "--input-type=module", "-e", script];
  return JSON.parse(execFileSync(BWRAP.program, args, { encoding: "utf8" }));
}

describe.skipIf(!haveSystemPart(BWRAP))("a full disk", () => {
  // A page for its lock, and one for the line: the disk is full at every step in turn.
  it.each([
    [0, 1],
    [1, 1],
    [1, 3_000],
    [2, 3_000],
  ])(
    "a signed chain takes no entry with room for %i pages and %i bytes more, however often it is tried, and goes on when there is more",
    (pages, bytes) => {
      const told = onSmallDisk(`
      const place = { stateDir: places.stateDir, name: "stops" };
      const append = () => tried(() => appendToChain(place, { body: { kind: "test", text: "x".repeat(${bytes}) }, time: now }, key).seq);
      const state = () => { const { kind, end, reason } = readChain(place); return [kind, end?.seq ?? reason]; };
      told.push(append());
      fill(${pages});
      for (let n = 0; n < 3; n += 1) told.push(append(), state());
      free();
      told.push(append(), state(), readdirSync(places.stateDir).filter((name) => name.startsWith(".")));`);
      const refused = ["govern.store_unwritable", ["ok", 1]];
      expect(told).toEqual([1, ...refused, ...refused, ...refused, 2, ["ok", 2], []]);
    },
  );

  it("a file of a store is not made, one that is there stays whole, and nothing is left behind", () => {
    const told = onSmallDisk(`
      const path = folder + "/state/one.json";
      createStoreFile(path, "old");
      fill();
      told.push(tried(() => createStoreFile(folder + "/state/two.json", "new")), tried(() => replaceStoreFile(path, "new")));
      free();
      told.push(readdirSync(folder + "/state").toSorted(), tried(() => createStoreFile(folder + "/state/two.json", "new")));`);
    const refused = "govern.store_unwritable";
    expect(told).toEqual([refused, refused, ["keys", "one.json"], true]);
  });
});
