import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { ConfigError } from "../../src/config/config-error.ts";
import { readProfilesFile } from "../../src/config/profiles-file.ts";

const folder = mkdtempSync(join(tmpdir(), "regate-profiles-file-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const path = join(folder, "profiles.json");

function read(content: unknown) {
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return readProfilesFile(path, "p.json");
}

const one = (profile: unknown) => ({ profiles: [profile] });

describe("readProfilesFile", () => {
  it("gives labels and variables", () => {
    const environment = { AWS_PROFILE: "erika", KUBECONFIG: "/k", constructor: "x" };
    expect(read({ profiles: [{ label: "Erika", environment }, { label: "Müller GmbH" }] })).toEqual([
      { label: "Erika", environment },
      { label: "Müller GmbH", environment: {} },
    ]);
  });

  it("gives what is granted of the home directory, read-only unless it is marked", () => {
    const home = [".config/gh", { path: ".cache/uv", write: true }, { path: "..name", write: false }];
    expect(read(one({ label: "a", home }))).toEqual([
      {
        label: "a",
        environment: {},
        home: [
          { path: ".config/gh", write: false },
          { path: ".cache/uv", write: true },
          { path: "..name", write: false },
        ],
      },
    ]);
    const inside = [".cache", { path: ".cache/uv", write: true }];
    expect(read(one({ label: "a", home: inside }))[0]?.home).toHaveLength(2);
  });

  const PATH = "must be a path below the home directory, such as `.cache/uv`, written without `~`, `.`, `..` and a final `/`";
  const hostile = [
    "",
    "/",
    "/etc",
    ".",
    "..",
    "../x",
    "a/../../x",
    "a/./b",
    "a//b",
    "a/",
    "~",
    "~/.ssh",
    "a\0b",
    "a\nb",
    "a\u202eb",
    "x".repeat(1025),
  ];
  it.each(hostile)("refuses the path %j of the home directory, marked or not", (given) => {
    expect(() => read(one({ label: "a", home: [given] }))).toThrow(`key \`profiles.0.home.0.path\` ${PATH}`);
    expect(() => read(one({ label: "a", home: [{ path: given, write: true }] }))).toThrow(`key \`profiles.0.home.0.path\` ${PATH}`);
  });

  it("refuses a path inside one that any profile makes writable: a command could put a link there", () => {
    const profiles = [
      { label: "a", home: [{ path: ".cache", write: true }] },
      { label: "b", home: [".config", ".cache/uv"] },
    ];
    expect(() => read({ profiles })).toThrow("key `profiles.1.home.1` must not lie in a path that a profile makes writable");
  });

  const rows: readonly (readonly [string, unknown, string])[] = [
    ["not JSON", "{", "is not JSON"],
    ["two equal keys", '{"profiles":[],"profiles":[]}', "has an object with two equal keys"],
    ["a list", [], "must hold a JSON object with `profiles`"],
    ["nothing", {}, "key `profiles` must be a list"],
    ["another key", { profiles: [], more: 1 }, "has an unknown key `more`"],
    ["another key of a profile", one({ label: "a", id: "x" }), "has an unknown key `id`"],
    ["no label", one({}), "key `profiles.0.label` must be a string"],
    ["an invisible label", one({ label: "Eri\u200bk" }), "key `profiles.0.label` must have 1 to 64 visible characters"],
    ["a sandbox's label", one({ label: "sandbox:x" }), "key `profiles.0.label` must have 1 to 64 visible characters"],
    ["one label twice", { profiles: [{ label: "a" }, { label: "a" }] }, "key `profiles` must not have one label twice"],
    ["a value that is none", one({ label: "a", environment: { TOKEN: 5 } }), "key `profiles.0.environment.TOKEN` must be a string"],
    ["a NUL", one({ label: "a", environment: { TOKEN: "hush\0" } }), "key `profiles.0.environment.TOKEN` is too long or holds a NUL"],
    ...["PATH", "LD_PRELOAD", "BASH_ENV", "IFS", "DYLD_INSERT_LIBRARIES", "A-B", "1A", ""].map(
      (name) =>
        [
          `the variable ${name}`,
          `{"profiles":[{"label":"a","environment":{${JSON.stringify(name)}:"hush"}}]}`,
          `key \`profiles.0.environment.${name}\` is not the name of a variable that a profile may set`,
        ] as const,
    ),
    [
      "the variable __proto__",
      '{"profiles":[{"label":"a","environment":{"__proto__":"hush"}}]}',
      "key `profiles.0.environment` must not set `__proto__`",
    ],
    ["no list of paths", one({ label: "a", home: "x" }), "key `profiles.0.home` must be a list"],
    [
      "a path that is a number",
      one({ label: "a", home: [5] }),
      "key `profiles.0.home.0` must be a path, or an object of `path` and `write`",
    ],
    [
      "a mark that is no boolean",
      one({ label: "a", home: [{ path: "a", write: "yes" }] }),
      "key `profiles.0.home.0.write` must be true or false",
    ],
    ["another key of a path", one({ label: "a", home: [{ path: "a", write: true, exec: true }] }), "has an unknown key `exec`"],
    ["one path twice", one({ label: "a", home: ["a", { path: "a", write: true }] }), "key `profiles.0.home` must not have one path twice"],
    [
      "65 paths",
      one({ label: "a", home: Array.from({ length: 65 }, (_, at) => `a${at}`) }),
      "key `profiles.0.home` must not be more than 64",
    ],
    ["no environment", one({ label: "a", environment: null }), "key `profiles.0.environment` must be an object of strings"],
  ];
  it.each(rows)("refuses %s, in one line without label or value", (_name, content, problem) => {
    const refuse = () => read(content);
    expect(refuse).toThrow(ConfigError);
    expect(refuse).toThrow(`profiles file \`p.json\` ${problem}`);
    expect(refuse).not.toThrow(/hush|Erik/);
  });
});
