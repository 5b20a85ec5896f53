import { describe, expect, it } from "vitest";
import { analyseCommand } from "../../src/shell/analyse.ts";
import { cells } from "../../src/shell/arguments.ts";
import { SHIPPED_TABLES, VERB_PROGRAMS } from "../../src/shell/tables/build.ts";
import { ruleOf } from "../../src/shell/tables/compile.ts";
import { DATA_PROGRAMS } from "../../src/shell/tables/data.ts";
import { DESTROYING_PROGRAMS, OVERWRITING_PROGRAMS } from "../../src/shell/tables/destroying.ts";
import { ENVIRONMENT_ROWS, HARMLESS_NAMES } from "../../src/shell/tables/environment.ts";
import { HOOK_OPTIONS } from "../../src/shell/tables/hook-options.ts";
import { INTERPRETERS } from "../../src/shell/tables/interpreters.ts";
import { OPAQUE_PROGRAMS } from "../../src/shell/tables/opaque.ts";
import { SEED_FRAGMENTS } from "../../src/shell/tables/seed.ts";
import { SQL_CLIENTS } from "../../src/shell/tables/sql.ts";
import { SUBCOMMAND_WRAPPERS } from "../../src/shell/tables/subcommand-wrappers.ts";
import { TOOL_WRAPPERS } from "../../src/shell/tables/tool-wrappers.ts";
import { SYSTEM_WRAPPERS } from "../../src/shell/tables/wrappers.ts";

function rulesOf(command: string, tables = SHIPPED_TABLES): string[] {
  return analyseCommand(command, { tables }).findings.map((finding) => finding.rule);
}

function verdictOf(command: string): string {
  return analyseCommand(command).verdict;
}

const rows = VERB_PROGRAMS.flatMap((program) => program.rows.map((row) => ({ rule: ruleOf(program.family, row), row })));

describe("verb tables", () => {
  it.each(rows.map(({ rule, row }) => [row.example, rule, row] as const))("%s is %s", (example, rule, row) => {
    const choices = { ...SHIPPED_TABLES.choices, ...(row.choice === undefined ? {} : { [row.choice]: true }) };
    expect(rulesOf(example, { ...SHIPPED_TABLES, choices })).toContain(rule);
  });

  it.each(rows.flatMap(({ row }) => (row.clear === undefined ? [] : [row.clear])))("%s is clear", (command) => {
    expect(analyseCommand(command)).toMatchObject({ verdict: "clear", findings: [] });
  });

  it.each(
    VERB_PROGRAMS.flatMap(({ family, anywhere }) => (anywhere === undefined ? [] : [[anywhere.example, family, anywhere.clear] as const])),
  )("%s: a verb of %s counts at any depth, but not as data: %s", (example, family, clear) => {
    expect(rulesOf(example)).toContain(`destructive.${family}.verb`);
    expect(verdictOf(clear)).toBe("clear");
  });

  it("has every rule id once", () => {
    const ids = rows.map(({ rule }) => rule);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  });

  it("has one program in one family once", () => {
    const names = VERB_PROGRAMS.flatMap((program) => cells(program.names).map((name) => `${program.family} ${name}`));
    expect(new Set(names).size).toBe(names.length);
  });
});

describe("wrapper tables", () => {
  const wrappers = [...SYSTEM_WRAPPERS, ...TOOL_WRAPPERS, ...SUBCOMMAND_WRAPPERS, ...HOOK_OPTIONS];

  it.each(wrappers.map((row) => row.example))("%s passes through to the program", (example) => {
    const analysis = analyseCommand(example);
    expect(analysis.verdict).toBe("destructive");
    expect(analysis.commands.some((command) => command.via.length > 0)).toBe(true);
  });

  it.each(wrappers.flatMap((row) => (row.clear === undefined ? [] : [row.clear])))("%s is clear", (command) => {
    expect(analyseCommand(command)).toMatchObject({ verdict: "clear", findings: [] });
  });

  it.each(
    SYSTEM_WRAPPERS.filter((row) => row.after === undefined).flatMap((row) =>
      cells(row.names).map((name) => [name, row.skip ?? 0] as const),
    ),
  )("%s is peeled off, with %i words before the program", (name, skip) => {
    expect(verdictOf([name, ...Array.from({ length: skip }, () => "1"), "rm", "x"].join(" "))).toBe("destructive");
  });
});

describe("programs", () => {
  it.each(DESTROYING_PROGRAMS.flatMap(cells))("%s destroys", (name) => {
    expect(rulesOf(`${name} x y`)).toContain("destructive.program");
  });

  it.each(OVERWRITING_PROGRAMS.flatMap(cells))("%s overwrites", (name) => {
    expect(rulesOf(`${name} x y`)).toContain("overwrite.program");
  });

  it.each(DATA_PROGRAMS.flatMap(cells))("%s takes a fragment as data", (name) => {
    expect(analyseCommand(`${name} rm`)).toMatchObject({ verdict: "clear", findings: [] });
  });

  it.each(OPAQUE_PROGRAMS.flatMap((row) => cells(row.names)))("%s cannot be looked into", (name) => {
    expect(rulesOf(`${name} x`)).toContain("unverifiable.opaque-program");
  });

  it.each(OPAQUE_PROGRAMS.map((row) => row.example))("%s is flagged", (example) => {
    expect(verdictOf(example)).not.toBe("clear");
  });

  it.each(OPAQUE_PROGRAMS.flatMap((row) => row.listing ?? []))("%s only lists", (listing) => {
    expect(verdictOf(listing)).toBe("clear");
  });
});

describe("interpreters and database clients", () => {
  it.each([...INTERPRETERS, ...SQL_CLIENTS].map((row) => [row.example, row.clear] as const))(
    "%s is destructive, %s is clear",
    (example, clear) => {
      expect(verdictOf(example)).toBe("destructive");
      expect(verdictOf(clear)).toBe("clear");
    },
  );

  it.each(SQL_CLIENTS.flatMap((row) => cells(row.names)))("%s reads SQL from a pipe that is not known", (name) => {
    expect(rulesOf(`cat x | ${name}`)).toContain("unverifiable.stdin-code");
    expect(rulesOf(`echo 'drop table x' | ${name}`)).toContain("destructive.sql");
  });

  it.each(INTERPRETERS.flatMap((row) => cells(row.names)))("%s reads code from a pipe that is not known", (name) => {
    expect(rulesOf(`cat x | ${name}`)).toContain("unverifiable.stdin-code");
  });
});

describe("environment", () => {
  const value = "'./x $(y)'";

  it.each(ENVIRONMENT_ROWS.map((row) => row.name.replace(/\*$/, "X")))("%s makes a command unverifiable, however it is set", (name) => {
    const commands = [
      `${name}=${value} ls`,
      `${name}=${value}`,
      `export ${name}=${value}`,
      `declare -x ${name}=${value}`,
      `env ${name}=${value} ls`,
      `sudo ${name}=${value} ls`,
      `read ${name}`,
      `printf -v ${name} x`,
      `for ${name} in a; do ls; done`,
    ];
    expect(commands.filter((command) => analyseCommand(command).verifiable)).toEqual([]);
  });

  it.each(HARMLESS_NAMES.flatMap(cells))("%s is harmless", (name) => {
    expect(verdictOf(`${name}=1 ls`)).toBe("clear");
  });
});

describe("the seed's floor", () => {
  it.each([...SEED_FRAGMENTS])("%s is destructive on words, in any case and quoting", (fragment) => {
    const [first, ...rest] = fragment.split(" ");
    const quoted = [`"${first!}"`, ...rest.map((word) => `'${word}'`)].join("\t");
    const commands = [`${fragment} x`, `${fragment.toUpperCase()} x`, quoted, `sudo ${fragment} x`, `sh -c '${fragment} x'`];
    expect(commands.filter((command) => verdictOf(command) !== "destructive")).toEqual([]);
  });

  it("is these fragments", () => {
    expect(SEED_FRAGMENTS).toEqual([
      "rm",
      "delete",
      "destroy",
      "terminate",
      "kubectl delete",
      "terraform apply",
      "terraform destroy",
      "tofu apply",
      "tofu destroy",
      "docker rm",
      "docker rmi",
      "git push --force",
      "chmod 777",
    ]);
  });
});

describe("choices", () => {
  it.each([
    ["append", "echo x >> f", false],
    ["copy", "cp a b", false],
    ["move", "mv a b", true],
    ["in_place_edit", "sed -i s/a/b/ f", true],
    ["tee", "tee f", true],
    ["compress", "gzip f", true],
    ["git_branch_delete", "git branch -d x", false],
    ["compose_down", "docker compose down", false],
    ["container_stop", "docker stop x", true],
    ["iac_plan_destroy", "terraform plan -destroy", false],
    ["inline_code", "python3 -c 'print(1)'", false],
  ] as const)("%s decides about %s; shipped: %s", (choice, command, shipped) => {
    const flagged = (on: boolean) => {
      const tables = { ...SHIPPED_TABLES, choices: { ...SHIPPED_TABLES.choices, [choice]: on } };
      return analyseCommand(command, { tables }).verdict !== "clear";
    };
    expect([flagged(true), flagged(false), SHIPPED_TABLES.choices[choice]]).toEqual([true, false, shipped]);
  });
});
