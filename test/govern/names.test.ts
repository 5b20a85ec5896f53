import { describe, expect, it } from "vitest";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { createKey, listKeys } from "../../src/govern/keys.ts";
import { foldedOwner, isOwner } from "../../src/govern/names.ts";
import { newStore, removeStores } from "./approval-kit.ts";

describe("an owner", () => {
  it.each([
    ["erika", "Erika", "ERIKA", " erika ", "erika\u200b", "\u2060erika", "ｅｒｉｋａ", "eri\u00adka", "erika\u0000"],
    ["straße", "STRASSE", "straẞe"],
    ["anna b", "anna  b", "anna\u00a0b", "anna\tb"],
    ["1000", "01000", "uid 1000", "uid:1000", "#1000", "１０００"],
    ["0", "00", "uid=0"],
    ["josé", "jose\u0301"],
  ])("is the same human, however the name is spelled: %j", (...spellings) => {
    expect(new Set(spellings.map(foldedOwner)).size).toBe(1);
  });

  it("is another human when the name is another", () => {
    expect(new Set(["erika", "erik", "erika1", "anna b", "annab", "1000", "100", "u1000"].map(foldedOwner)).size).toBe(8);
  });

  it.each(["", " ", " anna", "anna\n", "a\u0000b", "anna\u200b", "a\u00a0b", "\u202eanna", "x".repeat(257), "\ud800"])(
    "%j names nobody",
    (text) => {
      expect(isOwner(text)).toBe(false);
    },
  );
});

it("a key that could not be read back is not made", () => {
  const { stateDir, keysDir } = newStore();
  for (const owner of ["x".repeat(257), " anna", "anna\u200b"])
    expect(() => createKey({ stateDir, keysDir }, { name: "anna", owner, now: new Date() })).toThrow(/must be visible text/);
  expect([listKeys(stateDir), existsSync(join(keysDir, "anna.key"))]).toEqual([[], false]);
  removeStores();
});
