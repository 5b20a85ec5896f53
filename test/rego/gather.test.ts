import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { gather, GatherError } from "../../src/rego/gather.ts";
import type { GatherOptions } from "../../src/rego/gather.ts";
import { globPattern } from "../../src/rego/glob.ts";
import { tree } from "./support.ts";

const FILES = {
  "p/a.rego": "package a",
  "p/a_test.rego": "package a_test",
  "p/data.json": "{}",
  "p/more.yaml": "a: 1",
  "p/more.yml": "b: 1",
  "p/readme.md": "no",
  "p/deep/b.rego": "package b",
  "p/.hidden/c.rego": "package c",
  "q/d.rego": "package d",
  "notes.txt": "package n",
  "bundle.tar.gz": new Uint8Array([0x1f, 0x8b, 1]),
};

async function names(options: Omit<GatherOptions, "cwd">, cwd = tree(FILES)): Promise<readonly string[]> {
  const { files, binary } = await gather({ cwd, ...options });
  return [...files.keys(), ...(binary?.keys() ?? [])].sort();
}

async function problems(options: Omit<GatherOptions, "cwd">, cwd: string): Promise<readonly string[]> {
  const error: unknown = await gather({ cwd, ...options }).catch((thrown: unknown) => thrown);
  if (!(error instanceof GatherError)) throw new Error("expected a GatherError");
  return error.problems.map(({ message }) => message);
}

describe("gather", () => {
  it.each([
    [
      "a folder: Rego, JSON and YAML",
      { paths: ["q", "p"] },
      ["p/.hidden/c.rego", "p/a.rego", "p/a_test.rego", "p/data.json", "p/deep/b.rego", "p/more.yaml", "p/more.yml", "q/d.rego"],
    ],
    ["only Rego", { paths: ["p"], onlyRego: true }, ["p/.hidden/c.rego", "p/a.rego", "p/a_test.rego", "p/deep/b.rego"]],
    ["a file", { paths: ["p/a.rego"] }, ["p/a.rego"]],
    ["a file of any name, when it is named", { paths: ["notes.txt"] }, ["notes.txt"]],
    ["an archive", { paths: ["bundle.tar.gz"] }, ["bundle.tar.gz"]],
    ["ignored base names, of folders too", { paths: ["p"], ignore: ["*_test.rego", "deep", ".*", "more.y*", "data.json"] }, ["p/a.rego"]],
    ["no ignoring of what is named", { paths: ["p/a_test.rego"], ignore: ["*_test.rego"] }, ["p/a_test.rego"]],
    ["a pattern for files", { paths: ["p/*_test.rego"] }, ["p/a_test.rego"]],
    ["a pattern for folders, none of them hidden", { paths: ["p/*/*.rego"] }, ["p/deep/b.rego"]],
    ["a pattern for hidden folders", { paths: ["p/.h*/*.rego"] }, ["p/.hidden/c.rego"]],
    ["a pattern over any depth", { paths: ["**/*.rego"] }, ["p/a.rego", "p/a_test.rego", "p/deep/b.rego", "q/d.rego"]],
    ["a pattern below a folder", { paths: ["p/**/b.rego"] }, ["p/deep/b.rego"]],
    ["everything below a folder", { paths: ["q/**"] }, ["q/d.rego"]],
    ["a data prefix", { paths: ["foo.bar:p/data.json"] }, ["p/data.json"]],
    ["a file URL", { paths: ["file://p/a.rego"] }, ["p/a.rego"]],
  ] as const)("takes %s", async (_name, options, expected) => {
    expect(await names(options)).toEqual(expected);
  });

  it("keeps the paths as given and drops those of which nothing is left", async () => {
    const { paths } = await gather({ cwd: tree(FILES), paths: ["./p", "foo:p/data.json", "q"], ignore: ["d.rego"] });
    expect(paths).toEqual(["./p", "foo:p/data.json"]);
  });

  it("keeps absolute paths absolute", async () => {
    const cwd = tree(FILES);
    expect(await names({ paths: [join(cwd, "q")] }, "/")).toEqual([join(cwd, "q/d.rego")]);
  });

  it("names every path that cannot be read", async () => {
    expect(await problems({ paths: ["p", "nope", "no/*.rego"] }, tree(FILES))).toEqual([
      "nope: no such file or directory",
      "no/*.rego: no such file or directory",
    ]);
    expect(await problems({ paths: [] }, "/")).toEqual(["name at least one file or folder"]);
  });

  it("refuses what is not UTF-8", async () => {
    const cwd = tree({ "p/a.rego": new Uint8Array([0x70, 0xff]), "p/b.json": new Uint8Array([0xc0, 0xaf]) });
    expect(await problems({ paths: ["p"] }, cwd)).toEqual(["p/a.rego: not UTF-8", "p/b.json: not UTF-8"]);
  });

  it("keeps a byte order mark: OPA sees the bytes of the file", async () => {
    const { files } = await gather({ cwd: tree({ "a.rego": "\u{feff}package a" }), paths: ["a.rego"] });
    expect(files.get("a.rego")).toBe("\u{feff}package a");
  });
});

describe("links", () => {
  it("are followed inside the tree, and end in a circle", async () => {
    const cwd = tree(FILES);
    symlinkSync("../p/deep", join(cwd, "p/again"));
    symlinkSync("..", join(cwd, "p/deep/up"));
    expect(await names({ paths: ["p"], onlyRego: true, ignore: [".*"] }, cwd)).toEqual([
      "p/a.rego",
      "p/a_test.rego",
      "p/again/b.rego",
      "p/deep/b.rego",
    ]);
  });

  it("that lead out of the tree are refused", async () => {
    const cwd = tree(FILES);
    symlinkSync("../q/d.rego", join(cwd, "p/out.rego"));
    symlinkSync("/etc", join(cwd, "p/etc"));
    symlinkSync("nowhere", join(cwd, "p/dead.rego"));
    expect(await problems({ paths: ["p"] }, cwd)).toEqual([
      "p/dead.rego: no such file or directory",
      "p/etc: link leads out of its folder",
      "p/out.rego: link leads out of its folder",
    ]);
  });

  it("are skipped in a bundle, as OPA does", async () => {
    const cwd = tree({ ...FILES, "p/.manifest": "{}" });
    symlinkSync("/etc", join(cwd, "p/etc"));
    expect(await names({ paths: ["p"], bundle: true, ignore: ["*.y*ml", "deep", ".hidden"] }, cwd)).toEqual([
      "p/.manifest",
      "p/a.rego",
      "p/a_test.rego",
      "p/data.json",
    ]);
  });
});

describe("globPattern", () => {
  it.each([
    ["*.rego", "a.rego", true],
    ["*.rego", "a/b.rego", false],
    ["a?c", "abc", true],
    ["a?c", "a/c", false],
    ["[a-c]x", "bx", true],
    ["[^a-c]x", "bx", false],
    ["[^a-c]x", "dx", true],
    [String.raw`\*x`, "*x", true],
    [String.raw`\*x`, "ax", false],
    ["a.b+(c)", "a.b+(c)", true],
    ["a.b", "axb", false],
    ["", "", true],
  ])("%s on %s", (pattern, name, expected) => {
    expect(globPattern(pattern)?.test(name)).toBe(expected);
  });

  it("is nothing for a pattern that is not well formed", () => {
    expect(globPattern("[a")).toBeUndefined();
    expect(globPattern("[z-a]")).toBeUndefined();
  });
});
