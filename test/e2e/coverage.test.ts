import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { REQUIREMENTS } from "./requirements.ts";

function testFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return testFiles(path);
    return /\.test\.ts$|_test\.rego$/.test(entry.name) ? [path] : [];
  });
}

/** Ids cited as `[000-…]`, `[002-…]` or `[003-…]` in the names of tests. */
function citedIds(): Set<string> {
  const files = [...testFiles("test"), ...testFiles("policy")];
  return new Set(
    files.flatMap((file) => [...readFileSync(file, "utf8").matchAll(/\[(00[023]-[a-z0-9-]+)\]/g)].map((match) => match[1] ?? "")),
  );
}

describe("requirements", () => {
  it("each id is cited by a test", () => {
    const cited = citedIds();
    expect(Object.keys(REQUIREMENTS).filter((id) => !cited.has(id))).toEqual([]);
  });
  it("each cited id exists", () => {
    expect([...citedIds()].filter((id) => !(id in REQUIREMENTS))).toEqual([]);
  });
});
