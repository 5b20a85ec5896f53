import {
  chmodSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { lockSession } from "../../src/audit/session-lock.ts";
import { createProfile, provision, renameProfile, switchTo } from "../../src/session/profile-changes.ts";
import { NO_PROFILES, writeProfiles } from "../../src/session/profile-document.ts";
import { isProfileError } from "../../src/session/profile-error.ts";
import { openProfileStore, PROFILES_FILE } from "../../src/session/profile-store.ts";

let folder = "";
let path = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "regate-profiles-"));
  path = join(folder, PROFILES_FILE);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const open = (stateDir = folder) => openProfileStore({ stateDir, lock: lockSession });

function problemOf(act: () => unknown): { code: unknown; detail: unknown; message: string } {
  try {
    act();
  } catch (error) {
    if (!isProfileError(error)) throw error;
    return { code: error.code, detail: error.detail, message: error.message };
  }
  throw new Error("nothing was refused");
}

const good = () => writeProfiles(createProfile("Erik")(NO_PROFILES));
const changed = (change: (document: Record<string, any>) => void): string => {
  const document = JSON.parse(good()) as Record<string, any>;
  change(document);
  return JSON.stringify(document);
};

describe("openProfileStore", () => {
  it("makes nothing before something is written, and then only what is private", () => {
    const stateDir = join(folder, "a", "b");
    const store = open(stateDir);
    expect(store.read()).toBe(NO_PROFILES);
    expect(store.active()).toEqual({ label: null, variables: {}, mark: ":0" });
    expect(readdirSync(folder)).toEqual([]);
    store.update(createProfile("Erik"));
    expect(statSync(stateDir).mode & 0o777).toBe(0o700);
    expect(statSync(join(stateDir, PROFILES_FILE)).mode & 0o777).toBe(0o600);
    expect(readdirSync(stateDir)).toEqual([PROFILES_FILE]);
  });

  it("is shared: what one writes the other reads, and every switch changes the mark", () => {
    const [one, other] = [open(), open()];
    const marks = [one.active().mark];
    one.update(createProfile("Erik"));
    marks.push(other.active().mark);
    expect(other.active().label).toBe("Erik");
    other.update(switchTo("Erik"));
    marks.push(one.active().mark);
    other.update(provision([{ label: "Erik", environment: { KUBECONFIG: "/k" } }]));
    expect(one.active()).toEqual({ label: "Erik", variables: { KUBECONFIG: "/k" }, mark: marks[2] });
    expect(new Set(marks).size).toBe(3);
  });

  it("knows what this process's operator grants of the home directory, also after a rename, and stores none of it", () => {
    const home = [{ path: ".cache/uv", write: true }];
    const store = openProfileStore({ stateDir: folder, lock: () => () => undefined, homes: new Map([["Erik", home]]) });
    store.update(provision([{ label: "Erik", environment: {}, home }]));
    store.update(switchTo("Erik"));
    store.update(renameProfile("Erik", "Rik"));
    expect(store.active()).toMatchObject({ label: "Rik", home });
    expect(open().active()).not.toHaveProperty("home");
    expect(readFileSync(join(folder, PROFILES_FILE), "utf8")).not.toContain("uv");
    store.update(createProfile("Erik"));
    expect(store.active()).not.toHaveProperty("home");
  });

  it("loses no update of two that change it in turn", () => {
    const [one, other] = [open(), open()];
    for (let index = 0; index < 20; index += 1) (index % 2 === 0 ? one : other).update(createProfile(`p${index}`));
    expect(one.read().profiles).toHaveLength(20);
    expect(other.read()).toEqual(one.read());
  });

  it("changes nothing when the change is refused, and gives the lock back", () => {
    const store = open();
    store.update(createProfile("Erik"));
    const before = readFileSync(path);
    expect(problemOf(() => store.update(switchTo("nobody"))).code).toBe("profiles.unknown_label");
    expect(readFileSync(path)).toEqual(before);
    expect(readdirSync(folder)).toEqual([PROFILES_FILE]);
    store.update(switchTo("Erik"));
  });

  it("says so when another process holds the lock", () => {
    const store = openProfileStore({
      stateDir: folder,
      lock: () => {
        throw new Error("held");
      },
    });
    expect(problemOf(() => store.update(createProfile("Erik")))).toMatchObject({ code: "profiles.busy" });
    expect(store.read()).toBe(NO_PROFILES);
  });

  it("says so when it cannot write, and leaves what there was", () => {
    expect(problemOf(() => open(join("/dev/null", "x")).update(createProfile("Erik"))).code).toBe("profiles.unwritable");
    const store = open();
    store.update(createProfile("Erik"));
    const kept = store.read();
    const failing = openProfileStore({
      stateDir: folder,
      lock: () => {
        rmSync(path);
        mkdirSync(path);
        writeFileSync(join(path, "x"), "");
        return () => undefined;
      },
    });
    expect(problemOf(() => failing.update(createProfile("Erika"))).code).toBe("profiles.unreadable");
    rmSync(path, { recursive: true });
    writeFileSync(path, writeProfiles(kept), { mode: 0o600 });
    expect(open().read()).toEqual(kept);
  });

  const corrupt: readonly (readonly [string, string])[] = [
    ["empty", ""],
    ["half-written", good().slice(0, 60)],
    ["not an object", "[]"],
    ["two equal keys", good().replace('"format": 1', '"format": 1, "format": 1')],
    ["another format", changed((document) => (document["format"] = 2))],
    ["an unknown key", changed((document) => (document["more"] = 1))],
    ["an unknown key of a profile", changed((document) => (document["profiles"][0].more = 1))],
    ["a missing key", changed((document) => delete document["switches"])],
    ["an active profile that is none", changed((document) => (document["active"] = "11111111-1111-4111-8111-111111111111"))],
    ["a hidden label", changed((document) => (document["profiles"][0].label = "Hushed\u202e"))],
    ["a sandbox without its prefix", changed((document) => (document["profiles"][0].sandbox = true))],
    ["a prefix without a sandbox", changed((document) => (document["profiles"][0].label = "sandbox:x"))],
    ["one profile twice", changed((document) => document["profiles"].push(document["profiles"][0]))],
    ["a refused variable", changed((document) => (document["profiles"][0].environment = { LD_PRELOAD: "Hushed" }))],
    ["a value that is none", changed((document) => (document["profiles"][0].environment = { A: 1 }))],
    ["not UTF-8", "\u0000"],
  ];
  it.each(corrupt)("refuses a file that is %s, shows no value of it and never overwrites it", (_name, text) => {
    writeFileSync(path, text, { mode: 0o600 });
    const store = open();
    for (const act of [() => store.read(), () => store.active(), () => store.update(createProfile("Erik"))]) {
      const { code, detail, message } = problemOf(act);
      expect(code).toBe("profiles.unreadable");
      expect(detail).toBe(`profile store \`${path}\` does not hold what this program writes`);
      expect(message).toBe("profiles: the profile store cannot be read, nothing was executed");
    }
    expect(readFileSync(path, "utf8")).toBe(text);
  });

  it.each([
    ["readable by the group", () => chmodSync(path, 0o640), "must be private to its owner (mode 0600)"],
    ["writable by others", () => chmodSync(path, 0o602), "must be private to its owner (mode 0600)"],
    [
      "a link",
      () => {
        renameSync(path, join(folder, "real"));
        symlinkSync("real", path);
      },
      "must be a regular file",
    ],
    [
      "a link to nothing",
      () => {
        rmSync(path);
        symlinkSync("nothing", path);
      },
      "must be a regular file",
    ],
    [
      "a folder",
      () => {
        rmSync(path);
        mkdirSync(path);
      },
      "must be a regular file",
    ],
    ["too large", () => writeFileSync(path, " ".repeat(4 * 1024 * 1024 + 1)), "is larger than 4194304 bytes"],
  ])("refuses a file that is %s", (_name, spoil, problem) => {
    const store = open();
    store.update(createProfile("Erik"));
    spoil();
    expect(problemOf(() => store.read())).toMatchObject({ code: "profiles.unreadable", detail: `profile store \`${path}\` ${problem}` });
    expect(problemOf(() => store.update(createProfile("Erika"))).code).toBe("profiles.unreadable");
  });

  it("reads anew after the file was replaced by one of the same length", () => {
    const store = open();
    store.update(createProfile("Erik"));
    const text = readFileSync(path, "utf8");
    writeFileSync(join(folder, "next"), text.replace("Erik", "Eric"), { mode: 0o600 });
    linkSync(join(folder, "next"), join(folder, "kept"));
    renameSync(join(folder, "next"), path);
    expect(store.active().label).toBe("Eric");
  });
});
