import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { codeOf, fixtureEntry, folder, startGateway, type GatewayProcess, type Line } from "../upstream/gateway-kit.ts";
import { buildShown, loggedBy, workFolder, type Shown } from "./path-rules-kit.ts";
import { memoryServer, realServer } from "./real-servers.ts";

/** Bundles of one's own: on a busy machine too every evaluation ends in time. */
const PATIENT = ["--policy-deadline-ms", "60000"];

const textOf = ({ result, error }: Line): string => result?.content?.map(({ text }) => text).join("") ?? error?.message ?? "";

/** A gateway before one real server that keeps what it gets. */
function before(bundle: string, id: string, command: readonly string[]): { gateway: GatewayProcess; got: () => string } {
  const stateDir = folder();
  const log = join(stateDir, `${id}.log`);
  const gateway = startGateway({ stateDir, flags: PATIENT, bundle, servers: { [id]: loggedBy(log, command) } });
  return { gateway, got: () => (existsSync(log) ? readFileSync(log, "utf8") : "") };
}

const LIMITS = {
  outside: "file_paths: a path is outside the folders that may be used so",
  plain: "file_paths: a path must be absolute and plain, without `..`",
  closed: "file_paths: a path leads through a name that is closed",
} as const;

/** Calls with `W` for the folder: what file_paths says of each, or `ok`. */
const CALLS: readonly (readonly [string, object, keyof typeof LIMITS | "ok"])[] = [
  ["read_text_file", { path: "W/a.txt" }, "ok"],
  ["read_text_file", { path: "W//.//a.txt" }, "ok"],
  ["read_text_file", { path: "W/caf\u00e9/a.txt" }, "ok"],
  ["read_multiple_files", { paths: ["W/a.txt", "W/out/b.txt"] }, "ok"],
  ["directory_tree", { path: "W" }, "ok"],
  ["list_allowed_directories", {}, "ok"],
  ["read_text_file", { path: "W-evil/a.txt" }, "outside"],
  ["read_text_file", { path: "/etc/passwd" }, "outside"],
  ["read_text_file", { path: "/" }, "outside"],
  ["list_directory", { path: "W/../work-evil" }, "plain"],
  ["read_text_file", { path: "W/../work-evil/a.txt" }, "plain"],
  ["read_text_file", { path: "W/out/../.env" }, "plain"],
  ["read_text_file", { path: "W/away/../work/.env" }, "plain"],
  ["read_text_file", { path: "W/out/.." }, "plain"],
  ["read_text_file", { path: "a.txt" }, "plain"],
  ["read_text_file", { path: "../work-evil/a.txt" }, "plain"],
  ["read_text_file", { path: "~/.ssh/id_ed25519" }, "plain"],
  ["read_text_file", { path: "" }, "plain"],
  ["read_text_file", { path: " W/.env" }, "plain"],
  ["read_text_file", { path: "W/.env " }, "plain"],
  ["read_text_file", { path: "W/.env\t" }, "plain"],
  ["read_text_file", { path: "W/.env\u00a0" }, "plain"],
  ["read_text_file", { path: '"W/.env"' }, "plain"],
  ["read_text_file", { path: 'W/.env"' }, "plain"],
  ["read_text_file", { path: "W/.env'" }, "plain"],
  ["read_text_file", { path: "W/.env." }, "plain"],
  ["read_text_file", { path: "W/a.txt\u0000.png" }, "plain"],
  ["read_text_file", { path: "W\\.env" }, "plain"],
  ["read_text_file", { path: "W/%2eenv" }, "plain"],
  ["read_text_file", { path: "W/%2e%2e/work-evil/a.txt" }, "plain"],
  ["read_text_file", { path: "file://W/a.txt" }, "plain"],
  ["read_text_file", { path: "W/.e\u200bnv" }, "plain"],
  ["read_text_file", { path: "W/cafe\u0301/a.txt" }, "plain"],
  ["read_text_file", { path: "W/\uff0e\uff0e/work-evil/a.txt" }, "plain"],
  ["read_text_file", {}, "plain"],
  ["read_text_file", { path: ["W/a.txt", null] }, "plain"],
  ["read_text_file", { path: { path: "W/a.txt" } }, "plain"],
  ["read_text_file", { path: "W/.env" }, "closed"],
  ["read_text_file", { path: "W/.ENV" }, "closed"],
  ["read_text_file", { path: "W//./.env" }, "closed"],
  ["read_text_file", { path: "W/.env::$DATA" }, "closed"],
  ["read_text_file", { path: "W/.env.local" }, "closed"],
  ["read_text_file", { path: "W/server.pem" }, "closed"],
  ["read_text_file", { path: "W/.git/config" }, "closed"],
  ["read_file", { path: "W/.GIT/config" }, "closed"],
  ["read_media_file", { path: "W/.git/config" }, "closed"],
  ["get_file_info", { path: "W/.git" }, "closed"],
  ["search_files", { path: "W/.git", pattern: "*" }, "closed"],
  ["read_multiple_files", { paths: ["W/a.txt", "W/.env"] }, "closed"],
  ["read_multiple_files", { paths: ["W/a.txt", "W-evil/a.txt"] }, "outside"],
  ["read_multiple_files", { paths: "W/.env" }, "closed"],
  ["write_file", { path: "W/out/new.txt", content: "SECRET" }, "ok"],
  ["edit_file", { path: "W/out/b.txt", edits: [{ oldText: "open", newText: "opened" }] }, "ok"],
  ["move_file", { source: "W/out/new.txt", destination: "W/out/moved.txt" }, "ok"],
  ["write_file", { path: "W/a.txt", content: "x" }, "outside"],
  ["write_file", { path: "W/out-evil/a.txt", content: "x" }, "outside"],
  ["write_file", { path: "W/out/../a.txt", content: "x" }, "plain"],
  ["write_file", { path: "W/out/.git/hooks/pre-commit", content: "x" }, "closed"],
  ["edit_file", { path: "W/a.txt", edits: [{ oldText: "open", newText: "x" }] }, "outside"],
  ["create_directory", { path: "W/new" }, "outside"],
  ["move_file", { source: "W/a.txt", destination: "W/out/a.txt" }, "outside"],
  ["move_file", { source: "W/out/b.txt", destination: "W/b.txt" }, "outside"],
  ["move_file", { source: "W/out/b.txt", destination: "W/out/../b.txt" }, "plain"],
  ["move_file", { source: "W/out/b.txt" }, "plain"],
];

let work = "";
let shown: Shown = { files: "", names: "" };
beforeAll(() => {
  work = workFolder();
  shown = buildShown(work);
}, 180_000);

describe("[gateway:decisions] rules on paths before server-filesystem (CVE-2025-53109, CVE-2025-53110, P10)", () => {
  it("the page's bundle: every argument of the table; what is refused leaves zero bytes", { timeout: 120_000 }, async () => {
    const { gateway, got } = before(shown.files, "files", realServer("filesystem", work));
    await gateway.hello();
    await gateway.call("list_allowed_directories", {});
    const wrong: unknown[] = [];
    for (const [name, args, what] of CALLS) {
      const sent = JSON.parse(JSON.stringify(args).replaceAll("W", work)) as object;
      const bytes = got();
      const answer = await gateway.call(name, sent);
      const fits =
        what === "ok"
          ? codeOf(answer) === "ok" && got() !== bytes
          : codeOf(answer) === "policy.denied" && textOf(answer) === LIMITS[what] && got() === bytes;
      if (!fits || /SECRET=/.test(textOf(answer))) wrong.push([name, sent, what, codeOf(answer), textOf(answer)]);
    }
    expect(wrong).toEqual([]);
    expect(readdirSync(join(work, "out")).toSorted()).toEqual(["b.txt", "moved.txt"]);
    expect(readFileSync(join(work, "out", "b.txt"), "utf8")).toBe("opened\n");
  });

  it("a tool and a server that nobody listed are hidden and refused", async () => {
    const stateDir = folder();
    const logs = ["files", "other"].map((id) => join(stateDir, `${id}.log`));
    const tool = { name: "delete_everything", inputSchema: { type: "object" } };
    const servers = Object.fromEntries(logs.map((log, at) => [["files", "other"][at], fixtureEntry(log, { only: [tool] })]));
    const gateway = startGateway({ stateDir, flags: PATIENT, bundle: shown.files, servers });
    await gateway.hello();
    expect((await gateway.ask({ id: 1, method: "tools/list" })).result?.["tools"]).toEqual([]);
    expect(textOf(await gateway.call("files__delete_everything", {}))).toBe("file_paths: no paths are declared for this tool");
    expect(textOf(await gateway.call("other__delete_everything", {}))).toBe("file_paths: no paths are declared for this server");
    for (const log of logs) expect(readFileSync(log, "utf8")).not.toContain("tools/call");
  });

  it("the client's roots pass only below the folders; a refused answer leaves its roots unsaid", async () => {
    const { gateway, got } = before(shown.files, "files", realServer("filesystem", work));
    await gateway.hello({ roots: { listChanged: true } });
    const asked = await gateway.until(({ method }) => method === "roots/list");
    gateway.send({ id: asked.id, result: { roots: [{ uri: pathToFileURL(work).href }, { uri: "file:///" }] } });
    await expect.poll(got).toContain("4403");
    expect(got()).not.toContain("file:");
    expect(textOf(await gateway.call("list_allowed_directories", {}))).toBe(`Allowed directories:\n${work}`);
  });

  it("what policy cannot see: links. The server refuses one that leads out of its folders and follows one inside them", async () => {
    const { gateway } = before(shown.files, "files", realServer("filesystem", work));
    await gateway.hello();
    const out = await gateway.call("read_text_file", { path: join(work, "away", "a.txt") });
    expect([codeOf(out), textOf(out)]).toEqual(["error", expect.stringContaining("symlink target outside allowed directories")]);
    const inside = await gateway.call("read_text_file", { path: join(work, "inside") });
    expect([codeOf(inside), textOf(inside)]).toEqual(["ok", "SECRET=1\n"]);
  });
});

describe("[gateway:decisions] rules on names", () => {
  it("keep server-memory to one name space; what is refused leaves zero bytes", async () => {
    const { gateway, got } = before(shown.names, "memory", memoryServer());
    await gateway.hello();
    const entity = (name: unknown) => ({ name, entityType: "person", observations: [] });
    const relation = { from: "team:a", relationType: "knows" };
    const foreign = "memory_names: an entity belongs to another name space";
    const table: readonly (readonly [string, object, string])[] = [
      ["create_entities", { entities: [entity("team:a"), entity("team:b")] }, "ok"],
      ["create_relations", { relations: [{ ...relation, to: "team:b" }] }, "ok"],
      ["open_nodes", { names: ["team:a"] }, "ok"],
      ["create_entities", { entities: [entity("team:c"), entity("boss")] }, foreign],
      ["create_entities", { entities: [entity("Team:c")] }, foreign],
      ["create_entities", { entities: [entity(" team:c")] }, foreign],
      ["create_entities", { entities: [entity(["team:c"])] }, foreign],
      ["create_entities", { entities: "team:c" }, foreign],
      ["create_relations", { relations: [{ ...relation, to: "boss" }] }, foreign],
      ["add_observations", { observations: [{ entityName: "boss", contents: ["team:"] }] }, foreign],
      ["delete_entities", { entityNames: ["team:a", "boss"] }, foreign],
      ["delete_observations", { deletions: [{ entityName: "boss", observations: [] }] }, foreign],
      ["open_nodes", { names: ["boss"] }, foreign],
      ["open_nodes", {}, foreign],
      ["read_graph", {}, "memory_names: this tool is not bound to names"],
      ["search_nodes", { query: "team:" }, "memory_names: this tool is not bound to names"],
    ];
    for (const [name, args, said] of table) {
      const bytes = got();
      const answer = await gateway.call(name, args);
      expect([name, args, codeOf(answer) === "ok" ? "ok" : textOf(answer)]).toEqual([name, args, said]);
      expect([name, args, got() === bytes]).toEqual([name, args, said !== "ok"]);
    }
  });

  it("keep options, `..` and other repositories from a git server (CVE-2025-68143, CVE-2025-68144, CVE-2025-68145, CVE-2026-27735)", async () => {
    const stateDir = folder();
    const only = ["git_init", "git_diff", "git_checkout", "git_add"].map((name) => ({ name, inputSchema: { type: "object" } }));
    const entry = fixtureEntry(join(stateDir, "git.log"), { only });
    const gateway = startGateway({ stateDir, flags: PATIENT, bundle: shown.names, servers: { git: entry } });
    await gateway.hello();
    const repo_path = "/srv/repos/a";
    const [option, climbs] = ["git_arguments: a text begins with a hyphen", "git_arguments: a path leads to a folder above"];
    const repository = "git_arguments: the repository is none of those that may be used";
    const table: readonly (readonly [string, object, string])[] = [
      ["git_diff", { repo_path, target: "main..dev" }, "ok"],
      ["git_init", { repo_path: "/" }, repository],
      ["git_init", { repo_path: "/srv/repos-evil" }, repository],
      ["git_init", {}, repository],
      ["git_init", { repo_path: "/srv/repos/../x" }, climbs],
      ["git_diff", { repo_path, target: "--output=/home/erika/.bashrc" }, option],
      ["git_checkout", { repo_path, branch_name: "-f" }, option],
      ["git_add", { repo_path, files: ["a", "-A"] }, option],
      ["git_add", { repo_path, files: ["../../etc/passwd"] }, climbs],
      ["git_add", { repo_path, files: ["..\\..\\etc"] }, climbs],
    ];
    for (const [name, args, said] of table) {
      const bytes = gateway.bytes("git");
      const answer = await gateway.call(name, args);
      expect([name, args, codeOf(answer) === "ok" ? "ok" : textOf(answer)]).toEqual([name, args, said]);
      expect([name, args, gateway.bytes("git") === bytes]).toEqual([name, args, said !== "ok"]);
    }
  });
});
