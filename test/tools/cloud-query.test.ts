import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { readCloudQueriesFile } from "../../src/config/cloud-queries-file.ts";
import { type Confinement, sandboxed, unconfined } from "../../src/shell/confinement.ts";
import { COMMAND_LIMITS } from "../../src/shell/sandbox-entry.ts";
import { checkArguments } from "../../src/tools/arguments.ts";
import { CLOUD_QUERIES, type CloudQueries, withQueries } from "../../src/tools/cloud-queries.ts";
import { cloudQueryTool } from "../../src/tools/cloud-query.ts";
import { createRegistry } from "../../src/tools/registry.ts";
import type { ToolOutput } from "../../src/tools/tool.ts";
import { haveSystemPart } from "../system-part.ts";
import { contextOf } from "./kit.ts";

const haveBwrap = haveSystemPart({ program: "bwrap", package: "bubblewrap" });
const without = unconfined({ limits: COMMAND_LIMITS, atOnce: 8, reason: "a test" });

interface World {
  readonly home: string;
  readonly bin: string;
  readonly work: string;
}

/** A folder of programs that stand in for those of the providers, and a home. */
function makeWorld(programs: Readonly<Record<string, string>>): World {
  const root = mkdtempSync(join(realpathSync("/var/tmp"), "regate-cloud-test-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const [home, bin, work] = ["home", "bin", "work"].map((name) => join(root, name)) as [string, string, string];
  for (const folder of [home, bin, work, join(home, ".aws")]) mkdirSync(folder);
  writeFileSync(join(home, ".aws", "credentials"), "aws-key");
  writeFileSync(join(home, "key"), "other-key");
  for (const [name, script] of Object.entries(programs)) {
    writeFileSync(join(bin, name), `#!/bin/bash\n${script}\n`);
    chmodSync(join(bin, name), 0o755);
  }
  return { home, bin, work };
}

interface Asked {
  readonly confinement?: Confinement;
  readonly queries?: CloudQueries;
  readonly path?: string;
}

function ask(
  { home, bin, work }: World,
  args: object,
  { confinement = without, queries = CLOUD_QUERIES, path = bin }: Asked = {},
): Promise<ToolOutput> {
  const tool = cloudQueryTool({ queries, workdir: work, environment: { HOME: home, PATH: path, SECRET: "x" }, confinement });
  return tool.handler({ ...args }, contextOf({ ...args }));
}

const IDENTITY = { namespace: "aws", function: "identity" };

test("the provider's program gets the arguments of the table and nothing else, and its JSON comes back", async () => {
  const world = makeWorld({ aws: `printf '{"args":"%s","secret":"%s"}' "$*" "$SECRET"` });
  expect((await ask(world, IDENTITY)).structured).toEqual({
    namespace: "aws",
    function: "identity",
    value: { args: "sts get-caller-identity --output json --no-cli-pager", secret: "" },
  });
});

test("it can be registered", () => {
  const tool = cloudQueryTool({ queries: CLOUD_QUERIES, workdir: "/", environment: {}, confinement: without });
  expect(
    createRegistry([tool])
      .list()
      .map(({ inputSchema }) => Object.keys(inputSchema["properties"] as object)),
  ).toEqual([["namespace", "function"]]);
});

describe("errors", () => {
  const LIES = { aws: "exit 0" };

  test.each([
    [{ namespace: "sys", function: "exec" }, "unknown namespace: sys"],
    [{ namespace: "constructor", function: "name" }, "unknown namespace: constructor"],
    [{ namespace: "aws", function: "__proto__" }, "unknown function: aws.__proto__"],
    [{ namespace: "aws", function: "identity; id" }, "unknown function: aws.identity; id"],
    [{ namespace: "gcp", function: "identity" }, "cloud_query: the program `gcloud` is not installed"],
    [IDENTITY, "cloud_query: the answer of `aws` is not JSON"],
  ])("%j", async (args, message) => {
    await expect(ask(makeWorld(LIES), args)).rejects.toThrow(message);
  });

  test.each([
    [
      "echo 'Unable to locate credentials' >&2; exit 253",
      "cloud_query: `aws` found no credential that the provider accepts in ~/.aws or in the variables of the active profile",
    ],
    ["echo 'arn:secret broke' >&2; exit 4", "cloud_query: `aws` failed with exit code 4"],
    ["head -c 700000 /dev/zero", "cloud_query: the answer of `aws` is larger than 600000 bytes"],
  ])("of a program: %s", async (aws, message) => {
    await expect(ask(makeWorld({ aws }), IDENTITY)).rejects.toThrow(message);
  });

  test.each([
    {},
    { namespace: "aws" },
    { ...IDENTITY, args: [] },
    { namespace: 1, function: "x" },
    { namespace: "a".repeat(65), function: "x" },
  ])("arguments %j are refused", (args) => {
    const tool = cloudQueryTool({ queries: CLOUD_QUERIES, workdir: "/", environment: {}, confinement: without });
    expect(checkArguments(tool.input, args).ok).toBe(false);
  });
});

test("a program in the working directory or at a relative place is passed over", async () => {
  const world = makeWorld({});
  writeFileSync(join(world.work, "aws"), "#!/bin/bash\necho '{}'\n");
  chmodSync(join(world.work, "aws"), 0o755);
  await expect(ask(world, IDENTITY, { path: `${world.work}:.:` })).rejects.toThrow("the program `aws` is not installed");
});

test.runIf(haveBwrap)("in the sandbox: its own credentials, the network, and neither home nor working directory", async () => {
  const script = [
    "seen=$(cat ~/.aws/credentials)",
    "other=$(cat ~/key 2>/dev/null)",
    "touch here 2>/dev/null && wrote=yes",
    "touch ~/.aws/cache && cached=yes",
    `printf '{"seen":"%s","other":"%s","wrote":"%s","cached":"%s","net":%s}' "$seen" "$other" "$wrote" "$cached" "$(wc -l < /proc/net/dev)"`,
  ].join("\n");
  const world = makeWorld({ aws: script });
  const confinement = sandboxed(
    {
      bwrap: "/usr/bin/bwrap",
      workdir: world.work,
      home: world.home,
      shown: [],
      hidden: [],
      settings: [],
      kept: [],
      limits: COMMAND_LIMITS,
    },
    8,
  );
  const { structured } = await ask(world, IDENTITY, { confinement });
  expect(structured["value"]).toEqual({ seen: "aws-key", other: "", wrote: "", cached: "yes", net: expect.any(Number) });
});

describe("further queries", () => {
  const declared = (text: string): CloudQueries => {
    const { work } = makeWorld({});
    writeFileSync(join(work, "queries.json"), text);
    return readCloudQueriesFile(join(work, "queries.json"), "queries.json");
  };

  test("are added to the table", async () => {
    const queries = withQueries(
      declared('{"queries":{"aws":{"vpcs":{"argv":["aws","ec2","describe-vpcs"]}},"own":{"all":{"argv":["aws"]}}}}'),
    );
    const world = makeWorld({ aws: `printf '"%s"' "$*"` });
    expect((await ask(world, { namespace: "aws", function: "vpcs" }, { queries })).structured["value"]).toBe("ec2 describe-vpcs");
    expect((await ask(world, { namespace: "own", function: "all" }, { queries })).structured["value"]).toBe("");
    expect(queries.get("aws")?.get("identity")).toBe(CLOUD_QUERIES.get("aws")?.get("identity"));
  });

  test.each([
    "{}",
    "[]",
    '{"queries":{"aws":{"x":{"argv":[]}}}}',
    '{"queries":{"aws":{"x":{"argv":["/bin/aws"]}}}}',
    '{"queries":{"aws":{"x":{"argv":["aws",1]}}}}',
    '{"queries":{"aws":{"x":{"argv":["aws","a\\u0000"]}}}}',
    '{"queries":{"aws":{"X":{"argv":["aws"]}}}}',
    '{"queries":{"aws":{"x":{"argv":["aws"],"shell":true}}}}',
    '{"queries":{},"queries":{}}',
  ])("%s is refused", (text) => {
    expect(() => declared(text)).toThrow(/^cloud queries file `queries.json` /);
  });
});
