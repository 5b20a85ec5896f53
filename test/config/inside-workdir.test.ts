import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { insideWorkdirWarning } from "../../src/config/inside-workdir.ts";
import type { ServeOptions } from "../../src/config/options.ts";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "regate-inside-")));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
mkdirSync(join(folder, "work/policy"), { recursive: true });
mkdirSync(join(folder, "workshop"));
symlinkSync(join(folder, "work/policy"), join(folder, "link"));

function warning(parts: Partial<ServeOptions>): string | undefined {
  return insideWorkdirWarning({
    bundle: { given: "default", path: join(folder, "workshop"), packaged: true },
    workdir: join(folder, "work"),
    policy: { dialect: "regate" },
    stateDir: join(folder, "state"),
    keysDir: join(folder, "keys"),
    http: { auth: {}, limits: { maxSessions: 1, idleMs: 1 } },
    agentId: "a",
    requireDryRun: false,
    identityRules: { requireProfile: false, bindProfile: false },
    destructiveMatch: "words",
    policyDeadlineMs: 1,
    recordings: true,
    approvalWaitMs: 0,
    confirmTimeoutMs: 1,
    starlark: { steps: 1, timeMs: 1, memoryMb: 64, outputBytes: 1 },
    environment: {},
    home: "/nonexistent",
    commands: {
      sandbox: "auto",
      requireSandbox: false,
      sandboxHome: [],
      atOnce: 1,
      limits: { processes: 16, fileMb: 1, memoryMb: 64 },
    },
    ...parts,
  });
}

const bundle = (path: string): Partial<ServeOptions> => ({ bundle: { given: "x", path: join(folder, path), packaged: false } });
const ROWS: readonly (readonly [string, Partial<ServeOptions>, string | undefined])[] = [
  ["nothing inside", {}, undefined],
  ["a folder whose name only starts alike", bundle("workshop"), undefined],
  ["the bundle", bundle("work/policy"), "bundle `$/work/policy`"],
  ["the bundle through a link", bundle("link"), "bundle `$/link`"],
  ["the working directory itself as state", { stateDir: join(folder, "work") }, "state directory `$/work`"],
  ["a state directory that is not there yet", { stateDir: join(folder, "work/a/b") }, "state directory `$/work/a/b`"],
  ["a state directory below a link", { stateDir: join(folder, "link/a") }, "state directory `$/link/a`"],
  ["a name that starts with points", { stateDir: join(folder, "work/..state") }, "state directory `$/work/..state`"],
  [
    "all of them",
    {
      ...bundle("work/policy"),
      configFile: join(folder, "work/c.json"),
      allowlistFile: join(folder, "work/l"),
      contextFile: join(folder, "work/x"),
      profilesFile: join(folder, "work/p"),
      shellTablesFile: join(folder, "work/t"),
      cloudQueriesFile: join(folder, "work/q"),
      stateDir: join(folder, "work/s"),
    },
    "configuration `$/work/c.json`, allowlist `$/work/l`, bundle `$/work/policy`, context file `$/work/x`, profiles file `$/work/p`, shell tables file `$/work/t`, cloud queries file `$/work/q`, state directory `$/work/s`",
  ],
];

describe("insideWorkdirWarning (trial S03)", () => {
  it.each(ROWS)("%s", (_name, parts, named) => {
    const line =
      named === undefined
        ? undefined
        : `warning: commands can change these files, which lie in the working directory \`${folder}/work\` (no sandbox): ${named.replaceAll("$", folder)}`;
    expect(warning(parts)).toBe(line);
  });
  it("the root directory holds everything", () => {
    expect(warning({ workdir: "/" })).toContain("bundle");
  });
});
