import { describe, expect, it } from "vitest";
import { analyseCommand } from "../../src/shell/analyse.ts";
import { loadShellTables } from "../../src/shell/extend.ts";
import { SEED_FRAGMENTS } from "../../src/shell/tables/seed.ts";

const FILE = {
  data: ["lookup"],
  destructive: ["zap-cluster"],
  unverifiable: ["mystery"],
  wrappers: [{ names: ["as-user"], valued: ["-u"], skip: 1, assigns: true, code: ["-c"] }],
  programs: [
    {
      names: ["acmectl", "acme"],
      valued: ["-n", "--name"],
      dry_run: ["--check"],
      rows: [
        {
          id: "retire",
          verbs: "host retire|scrap",
          match: ["acmectl -n x host retire"],
          not_match: ["acmectl host list", "acme host retire --check"],
        },
        {
          id: "level",
          verbs: "set",
          options: ["--level"],
          value: "^0$",
          unless: ["--keep"],
          match: ["acme set --level 0"],
          not_match: ["acme set --level 1"],
        },
        { id: "script", verbs: "run", operand: "\\.job$", verdict: "unverifiable", match: ["acme run x.job"] },
      ],
    },
  ],
  environment: ["ACME_PLUGIN", "ACME_HOOK_*"],
  safe_targets: ["/dev/shm/scratch"],
  choices: { append: true, container_stop: false },
  examples: { destructive: ["zap-cluster x"], unverifiable: ["mystery x"], clear: ["lookup delete"] },
};

function load(changes: object): () => unknown {
  return () => loadShellTables(JSON.stringify({ ...FILE, ...changes }));
}

describe("an operator's tables", () => {
  const tables = loadShellTables(JSON.stringify(FILE));

  it.each([
    ["lookup delete rm", []],
    ["zap-cluster --help", []],
    ["zap-cluster a", ["destructive.program"]],
    ["mystery ls", ["unverifiable.opaque-program"]],
    ["as-user -u bob 1 A=b rm x", ["destructive.program"]],
    ["as-user -c 'rm x'", ["destructive.program"]],
    ["as-user 1 ls", []],
    ["acme -n y host scrap", ["destructive.acmectl.retire"]],
    ["acme host retire --check", []],
    ["acme set --level=0", ["destructive.acmectl.level"]],
    ["acme set --level 0 --keep", []],
    ["acme run a.job", ["unverifiable.acmectl.script"]],
    ["acme delete", ["destructive.seed-verb"]],
    ["ACME_PLUGIN=x ls", ["unverifiable.environment"]],
    ["ACME_HOOK_START=x ls", ["unverifiable.environment"]],
    ["ls > /dev/shm/scratch", []],
    ["ls >> x", ["overwrite.redirect"]],
    ["docker stop x", []],
    ["ls > x", ["overwrite.redirect"]],
  ])("%s", (command, rules) => {
    expect(analyseCommand(command, { tables }).findings.map((finding) => finding.rule)).toEqual(rules);
  });

  it("leaves the shipped tables as they are", () => {
    expect(analyseCommand("zap-cluster x").verdict).toBe("clear");
    expect(analyseCommand("ACME_PLUGIN=x ls; docker stop x").findings.map((finding) => finding.rule)).toEqual([
      "destructive.container.stop",
    ]);
  });

  it("cannot lower the seed's floor", () => {
    const names = ["rm", "delete", "destroy", "terminate", "kubectl", "terraform", "tofu", "docker", "git", "chmod"];
    const lowered = loadShellTables(JSON.stringify({ data: names, choices: { move: false }, wrappers: [{ names: ["rm"], skip: 1 }] }));
    const verdicts = SEED_FRAGMENTS.map((fragment) => analyseCommand(`${fragment} x`, { tables: lowered }).verdict);
    expect(new Set(verdicts)).toEqual(new Set(["destructive"]));
  });
});

describe("a file that must not be used", () => {
  it.each<[string, object, string]>([
    ["an unknown key", { inert: [] }, 'unrecognized key: "inert"'],
    ["a program with a slash", { data: ["/bin/x"] }, "`data[0]`: a program is its base name in lower case"],
    ["a program in capitals", { destructive: ["RM"] }, "`destructive[0]`: a program is its base name in lower case"],
    [
      "an option with a value",
      { wrappers: [{ names: ["x"], valued: ["-a=b"] }] },
      "`wrappers[0].valued[0]`: an option begins with a dash and has no blank and no equals sign",
    ],
    ["no names", { wrappers: [{ names: [] }] }, "`wrappers[0].names`: too small: expected array to have >=1 items"],
    [
      "a row without an example",
      { programs: [{ names: ["x"], rows: [{ id: "a", verbs: "b", match: [] }] }] },
      "`programs[0].rows[0].match`: too small: expected array to have >=1 items",
    ],
    [
      "a broken pattern",
      { programs: [{ names: ["x"], rows: [{ id: "a", operand: "(", match: ["x"] }] }] },
      "`programs[0].rows[0].operand`: not a regular expression",
    ],
    [
      "an example that does not hold",
      { programs: [{ names: ["x"], rows: [{ id: "a", verbs: "b", match: ["x c"] }] }] },
      "`programs[0].rows[0].match`: example does not hold: `x c`",
    ],
    [
      "a counterexample that does not hold",
      { programs: [{ names: ["x"], rows: [{ id: "a", match: ["x c"], not_match: ["x d"] }] }] },
      "`programs[0].rows[0].not_match`: example does not hold: `x d`",
    ],
    ["a verdict that does not hold", { examples: { clear: ["rm x"] } }, "`examples.clear`: example does not hold: `rm x`"],
    ["a relative target", { safe_targets: ["x"] }, "`safe_targets[0]`: an absolute path without dots, blanks and patterns"],
    ["a target that climbs", { safe_targets: ["/dev/../etc/x"] }, "`safe_targets[0]`: an absolute path without dots, blanks and patterns"],
    ["an unknown choice", { choices: { floor: false } }, '`choices`: unrecognized key: "floor"'],
    ["a choice that is no boolean", { choices: { append: "yes" } }, "`choices.append`: invalid input: expected boolean, received string"],
    ["a bad name", { environment: ["A-B"] }, "`environment[0]`: a name of a variable, or a prefix and an asterisk"],
  ])("%s", (_, changes, message) => {
    expect(load(changes)).toThrow(expect.objectContaining({ message }));
  });

  it("is not JSON, or not an object", () => {
    expect(() => loadShellTables("{")).toThrow("is not JSON");
    expect(() => loadShellTables("[]")).toThrow("must hold a JSON object");
    expect(() => loadShellTables('{"data":[],"data":[]}')).toThrow("has an object with two equal keys");
  });

  it("says where, with a code", () => {
    expect(load({ data: [1] })).toThrow(expect.objectContaining({ code: "shell.tables", path: "data[0]" }));
  });
});
