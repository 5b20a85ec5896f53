import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "./client.ts";
import { gated, memoryServer, realServer, runToEnd, someFiles, withoutDecision, type Command, type Said } from "./real-servers.ts";

const INSPECTOR = "node_modules/@modelcontextprotocol/inspector/clients/cli/build/index.js";

/** One request by the Inspector's command line, which starts the server for it. */
function inspect([command, ...args]: Command, words: readonly string[]): Promise<Said> {
  const home = temporaryFolder();
  const file = join(home, "mcp.json");
  writeFileSync(file, JSON.stringify({ mcpServers: { it: { command, args } } }));
  return runToEnd([process.execPath, INSPECTOR, "--format", "json", "--config", file, "--server", "it", ...words], { env: { HOME: home } });
}

const call = (name: string, args: object): string[] => [
  "--method",
  "tools/call",
  "--tool-name",
  name,
  "--tool-args-json",
  JSON.stringify(args),
];
const list = (what: string): string[] => ["--method", `${what}/list`];

/** What the Inspector says of a server itself, and of an equal one behind the gateway: exit code and answer for each request. */
async function both(server: Command, behind: Command, requests: readonly (readonly string[])[]): Promise<[unknown[], unknown[]]> {
  const [direct, through]: [unknown[], unknown[]] = [[], []];
  const seen = ({ code, stdout, stderr }: Said): unknown => [code, stdout === "" ? stderr : withoutDecision(JSON.parse(stdout))];
  for (const words of requests) {
    const [one, other] = await Promise.all([inspect(server, words), inspect(gated(behind), words)]);
    direct.push([words, seen(one)]);
    through.push([words, seen(other)]);
  }
  return [direct, through];
}

/** The exit codes of what was seen. */
const codes = (seen: readonly unknown[]): unknown[] => seen.map((one) => (one as [unknown, [number]])[1][0]);

describe("[gateway:pumping] the Inspector's command line sees through the gateway what it sees without", () => {
  it("of server-everything", { timeout: 240_000 }, async () => {
    const server = realServer("everything");
    const [direct, through] = await both(server, server, [
      list("tools"),
      list("prompts"),
      list("resources"),
      ["--method", "resources/templates/list"],
      ["--method", "resources/read", "--uri", "demo://resource/static/document/architecture.md"],
      ["--method", "prompts/get", "--prompt-name", "args-prompt", "--prompt-args", "city=Łódź"],
      call("echo", { message: "a\u2028é😀" }),
      call("get-sum", { a: 0.1, b: 2 }),
      call("get-structured-content", { location: "New York" }),
      call("get-tiny-image", {}),
    ]);
    expect(through).toEqual(direct);
    expect(codes(direct)).toEqual(Array(10).fill(0));
  });

  it("of server-filesystem", { timeout: 240_000 }, async () => {
    const root = someFiles();
    const server = realServer("filesystem", root);
    const [direct, through] = await both(server, server, [
      list("tools"),
      call("list_directory", { path: root }),
      call("read_multiple_files", { paths: [join(root, "a.txt"), join(root, "sub", "ü.txt")] }),
      call("write_file", { path: join(root, "new.txt"), content: "é\n" }),
      call("read_text_file", { path: "/etc/passwd" }),
    ]);
    expect(through).toEqual(direct);
    expect(codes(direct)).toEqual([0, 0, 0, 0, 5]);
  });

  it("of server-memory", { timeout: 240_000 }, async () => {
    const [server, behind] = [memoryServer(), memoryServer()];
    const entities = [{ name: "Łukasz", entityType: "person", observations: ["likes\u2028tea"] }];
    const [direct, through] = await both(server, behind, [
      list("tools"),
      call("create_entities", { entities }),
      call("open_nodes", { names: ["Łukasz"] }),
      ["--method", "tools/call", "--tool-name", "read_graph"],
    ]);
    expect(through).toEqual(direct);
    expect(codes(direct)).toEqual([0, 0, 0, 0]);
  });

  it("a refusal is shown as one, with its text; a tool that policy hides is not there for it", { timeout: 240_000 }, async () => {
    const refused = await inspect(gated(realServer("everything")), call("get-sum", { a: "one", b: 2 }));
    expect([refused.code, refused.stdout]).toEqual([5, expect.stringContaining("`a`: expected number")]);
    expect(refused.stdout).toContain('"call.arguments_invalid"');
    const hidden = await inspect(gated(realServer("everything"), "ai-agent"), call("get-sum", { a: 1, b: 2 }));
    expect([hidden.code, hidden.stdout, hidden.stderr]).toEqual([1, "", expect.stringContaining("get-sum")]);
  });
});
