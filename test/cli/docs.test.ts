import { readdirSync, readFileSync, statSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { COMMANDS } from "../../src/cli/commands.ts";
import type { Setting } from "../../src/config/setting.ts";
import { CONFIG_SETTING, SETTINGS } from "../../src/config/settings.ts";

const CLI = readFileSync("docs/cli.md", "utf8");
// The formatter aligns tables: how many blanks a cell is padded with says nothing.
const CONFIGURATION = readFileSync("docs/configuration.md", "utf8").replace(/ {2,}/g, " ");

/** The part of the page that belongs to a command: from its heading to the next one. */
function sectionOf(path: readonly string[]): string {
  const [, section = ""] = CLI.split(`## regate ${path.join(" ")}`);
  return section.split("\n## ")[0] ?? "";
}

describe("docs/cli.md", () => {
  const pages = COMMANDS.filter((command) => command.path[0] !== "completion").map((command) => [command.path.join(" "), command] as const);
  it.each(pages)("has a section on `%s` with each of its flags", (_name, { path, options }) => {
    const section = sectionOf(path);
    expect(options.filter((option) => !section.includes(`\`--${option.name}`)).map((option) => option.name)).toEqual([]);
    expect(
      options.filter((option) => option.short !== undefined && !section.includes(`\`-${option.short}\``)).map((option) => option.short),
    ).toEqual([]);
    expect(section).not.toBe("");
  });
});

describe("docs/configuration.md", () => {
  it.each([...Object.values(SETTINGS), CONFIG_SETTING].map((setting: Setting) => [setting.name, setting] as const))(
    "has a row for `%s`",
    (name, setting) => {
      const row = CONFIGURATION.split("\n").find((line) => line.startsWith(`| \`--${name}\` |`)) ?? "";
      expect(row).toContain(`| ${setting.env.map((variable) => `\`${variable}\``).join(", ")} |`);
      expect(row.includes(`| \`${name}\` |`)).toBe(setting !== CONFIG_SETTING);
    },
  );
});

describe("docs/toolchain.md", () => {
  it("shows the module that is shipped", () => {
    const page = readFileSync("docs/toolchain.md", "utf8");
    const { module, compressed } = JSON.parse(readFileSync("toolchain/manifest.json", "utf8")) as Record<
      "module" | "compressed",
      { readonly sha256: string; readonly bytes: number }
    >;
    expect(page).toContain(`module ${module.sha256} (${module.bytes} bytes), compressed ${compressed.bytes} bytes`);
    expect(page).toContain(`module ${module.sha256} is what the sources build`);
  });
});

describe("docs/policy-commands.md", () => {
  it("shows the sizes that a build prints", () => {
    const page = readFileSync("docs/policy-commands.md", "utf8");
    const lines = readdirSync("wasm").map((name) => `wasm/${name}: policy.wasm has ${statSync(`wasm/${name}/policy.wasm`).size} bytes`);
    expect(lines.filter((line) => !page.includes(`${line}\n`))).toEqual([]);
  });
});

describe("every command", () => {
  it.each(COMMANDS.map((command) => [command.path.join(" "), command] as const))(
    "`%s` has unique flags, a summary and examples",
    (_name, command) => {
      const names = command.options.flatMap((option) => [option.name, ...(option.short === undefined ? [] : [option.short])]);
      expect(new Set(names).size).toBe(names.length);
      expect(names).not.toContain("help");
      expect(names).not.toContain("h");
      expect(command.summary).not.toBe("");
      expect(command.examples.length).toBeGreaterThan(0);
      for (const option of command.options) expect(option.name).toMatch(/^[a-z][a-z0-9-]*$/);
    },
  );
});

describe("ARCHITECTURE.md and DEPENDENCIES.md", () => {
  it("have a row for every room", () => {
    const page = readFileSync("ARCHITECTURE.md", "utf8");
    const rooms = readdirSync("src", { withFileTypes: true }).map((entry) => `\`src/${entry.name}${entry.isDirectory() ? "/" : ""}\``);
    expect(rooms.filter((room) => !page.includes(`| ${room} `))).toEqual([]);
  });

  it("name every package", () => {
    const page = readFileSync("DEPENDENCIES.md", "utf8");
    const packages = JSON.parse(readFileSync("package.json", "utf8")) as Record<"dependencies" | "devDependencies", Record<string, string>>;
    const rows = Object.entries(packages.dependencies).map(([name, version]) => new RegExp(`\\| \`${name}\` +\\| ${version} `, "u"));
    expect(rows.filter((row) => !row.test(page))).toEqual([]);
    expect(Object.keys(packages.devDependencies).filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });
});
