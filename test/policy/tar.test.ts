import { describe, expect, it } from "vitest";
import { BundleError } from "../../src/policy/bundle-error.ts";
import { readTar } from "../../src/policy/tar.ts";
import { paxRecord, writeTar, type Entry } from "./support/tar.ts";

const text = (bytes: Uint8Array | undefined) => Buffer.from(bytes ?? []).toString("utf8");
const names = (entries: readonly Entry[]) => [...readTar(writeTar(entries)).keys()];

describe("readTar", () => {
  it("reads regular files as `opa build` and tar programs write them", () => {
    const files = readTar(
      writeTar([
        { name: "/data.json", content: "{}" },
        { name: "./policy.wasm", content: "wasm" },
        { name: "folder/", type: "5" },
        { name: ".", type: "5" },
        { name: "file.rego", prefix: "folder", content: "x".repeat(1025) },
        { name: "old", type: "\0", content: "" },
      ]),
    );
    expect([...files.keys()]).toEqual(["data.json", "policy.wasm", "folder/file.rego", "old"]);
    expect(text(files.get("data.json"))).toBe("{}");
    expect(files.get("folder/file.rego")?.length).toBe(1025);
  });

  it("takes a long name from an extended header", () => {
    const path = `deep/${"a".repeat(200)}.rego`;
    expect(
      names([
        { name: "pax", type: "x", content: paxRecord("mtime", "1.5") + paxRecord("path", path) },
        { name: "short", content: "1" },
      ]),
    ).toEqual([path]);
  });

  it("accepts zero padding after the end", () => {
    expect([...readTar(writeTar([{ name: "a" }], new Uint8Array(10_240))).keys()]).toEqual(["a"]);
  });

  const refused: readonly (readonly [string, readonly Entry[], string])[] = [
    ["a path that leaves the archive", [{ name: "a/../../b" }], "archive has the path `a/../../b`"],
    ["a path that begins with dots", [{ name: "../b" }], "archive has the path `../b`"],
    ["a second leading slash", [{ name: "//b" }], "archive has the path `//b`"],
    ["an inner dot", [{ name: "a/./b" }], "archive has the path `a/./b`"],
    ["an empty part", [{ name: "a//b" }], "archive has the path `a//b`"],
    ["a backslash", [{ name: "a\\b" }], "archive has the path `a\\b`"],
    ["a drive letter", [{ name: "C:/b" }], "archive has the path `C:/b`"],
    ["a control character", [{ name: "a\nb" }], "archive has the path `a?b`"],
    ["a symbolic link", [{ name: "a", type: "2" }], "`a` is not a regular file (type `2`)"],
    ["a hard link", [{ name: "a", type: "1" }], "`a` is not a regular file (type `1`)"],
    ["a character device", [{ name: "a", type: "3" }], "`a` is not a regular file (type `3`)"],
    ["a FIFO", [{ name: "a", type: "6" }], "`a` is not a regular file (type `6`)"],
    ["a GNU long name", [{ name: "a", type: "L", content: "b" }], "`a` is not a regular file (type `L`)"],
    ["a global header", [{ name: "a", type: "g", content: paxRecord("comment", "x") }], "`a` is not a regular file (type `g`)"],
    ["a folder with content", [{ name: "a", type: "5", content: "x" }], "folder `a` has content"],
    ["a file twice", [{ name: "a" }, { name: "a" }], "archive has `a` twice (names are compared without letter case)"],
    ["a file twice by two spellings", [{ name: "/a" }, { name: "./a" }], "archive has `a` twice (names are compared without letter case)"],
    [
      "case twins",
      [{ name: "data.json" }, { name: "DATA.JSON" }],
      "archive has `DATA.JSON` twice (names are compared without letter case)",
    ],
    ["Unicode twins", [{ name: "\u00e9" }, { name: "e\u0301" }], "archive has `e\u0301` twice (names are compared without letter case)"],
    [
      "two manifests",
      [{ name: ".manifest" }, { name: "/.manifest" }],
      "archive has `.manifest` twice (names are compared without letter case)",
    ],
    ["a file without a name", [{ name: "/" }], "archive has a file without a name"],
    ["a wrong checksum", [{ name: "a", checksum: "000000\0 " }], "tar header has a wrong checksum"],
    ["a size that is no number", [{ name: "a", size: "9\0" }], "tar header has a malformed number"],
    ["a size beyond the archive", [{ name: "a", size: "00000100000\0" }], "archive is cut off"],
    ["a foreign magic", [{ name: "a", magic: "zip\0\0\0\0\0" }], "not a tar archive"],
    [
      "a link target in an extended header",
      [{ name: "p", type: "x", content: paxRecord("linkpath", "b") }, { name: "a" }],
      "extended header has `linkpath`",
    ],
    [
      "a size in an extended header",
      [{ name: "p", type: "x", content: paxRecord("size", "1") }, { name: "a" }],
      "extended header has `size`",
    ],
    [
      "a sparse file",
      [{ name: "p", type: "x", content: paxRecord("GNU.sparse.major", "1") }, { name: "a" }],
      "extended header has `GNU.sparse.major`",
    ],
    [
      "an extended header that leaves the archive",
      [{ name: "p", type: "x", content: paxRecord("path", "../b") }, { name: "a" }],
      "archive has the path `../b`",
    ],
    [
      "two paths in an extended header",
      [{ name: "p", type: "x", content: paxRecord("path", "b") + paxRecord("path", "c") }, { name: "a" }],
      "extended header has two paths",
    ],
    ["a malformed extended header", [{ name: "p", type: "x", content: "99 path=b\n" }, { name: "a" }], "malformed extended header"],
    [
      "two extended headers",
      [{ name: "p", type: "x", content: paxRecord("path", "b") }, { name: "p", type: "x", content: paxRecord("path", "c") }, { name: "a" }],
      "archive has two extended headers for one file",
    ],
    ["an extended header at the end", [{ name: "p", type: "x", content: paxRecord("path", "b") }], "archive ends after an extended header"],
  ];
  it.each(refused)("refuses %s", (_what, entries, message) => {
    expect(() => readTar(writeTar(entries))).toThrow(new BundleError("bundle.unreadable", message));
  });

  it.each([
    ["no end", new Uint8Array(0), "archive is cut off"],
    ["half an end", new Uint8Array(512), "archive is cut off"],
    ["data after the end", Buffer.concat([new Uint8Array(1024), writeTar([{ name: "b" }])]), "archive has data after its end"],
    [
      "data between the two blocks of the end",
      Buffer.concat([new Uint8Array(512), writeTar([{ name: "b" }])]),
      "archive has data after its end",
    ],
  ])("refuses an archive with %s", (_what, end, message) => {
    expect(() => readTar(writeTar([{ name: "a", content: "x" }], end))).toThrow(new BundleError("bundle.unreadable", message));
  });

  it("refuses a name that is not UTF-8", () => {
    const archive = Buffer.from(writeTar([{ name: "aa" }]));
    archive[1] = 0xff;
    const sum = archive.subarray(0, 512).reduce((total, byte, index) => total + (index >= 148 && index < 156 ? 32 : byte), 0);
    archive.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
    expect(() => readTar(archive)).toThrow("archive has a name that is not UTF-8");
  });

  it("refuses more than 1,000 files and more than 64 MiB", () => {
    const many = Array.from({ length: 1001 }, (_, index) => ({ name: `f${index}` }));
    expect(() => readTar(writeTar(many))).toThrow("archive has more than 1000 files");
    expect(names(many.slice(1))).toHaveLength(1000);
    expect(() => readTar(new Uint8Array(64 * 1024 * 1024 + 1))).toThrow("archive is larger than 67108864 bytes unpacked");
  });
});
