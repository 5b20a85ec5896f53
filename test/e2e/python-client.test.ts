import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { pythonClient } from "../system-part.ts";
import { startHttp } from "./http-kit.ts";
import { gated, memoryServer, realServer, runToEnd, someFiles, withoutDecision, type Command } from "./real-servers.ts";

const sdk = pythonClient();

/** One use of the session of the MCP SDK for Python: the method, and its arguments by name. */
type Step = readonly [string, object];

const call = (name: string, args: object): Step => ["call_tool", { name, arguments: args }];

/** What each step gave, the handshake first. */
async function drive(task: { readonly command: Command } | { readonly url: string }, steps: readonly Step[]): Promise<unknown[]> {
  const env = { PYTHONPATH: sdk ?? "" };
  const { code, stdout, stderr } = await runToEnd(["python3", "test/e2e/python/drive.py"], {
    input: JSON.stringify({ ...task, steps }),
    env,
  });
  expect([code, stderr]).toEqual([0, ""]);
  return JSON.parse(stdout) as unknown[];
}

/** A server, an equal one, and what is asked of both. */
function cases(): readonly (readonly [string, () => readonly [Command, Command, readonly Step[]]])[] {
  return [
    [
      "server-everything",
      () => {
        const server = realServer("everything");
        const uri = "demo://resource/static/document/architecture.md";
        const ref = { type: "ref/prompt", name: "completable-prompt" };
        const steps: Step[] = [
          ["list_tools", {}],
          ["list_prompts", {}],
          ["list_resources", {}],
          ["list_resource_templates", {}],
          ["read_resource", { uri }],
          ["get_prompt", { name: "args-prompt", arguments: { city: "Łódź" } }],
          ["complete", { ref, argument: { name: "department", value: "" } }],
          ["set_logging_level", { level: "error" }],
          ["send_ping", {}],
          call("echo", { message: "a\u2028é😀" }),
          call("get-sum", { a: 0.1, b: 2 }),
          call("get-structured-content", { location: "New York" }),
          call("get-tiny-image", {}),
          call("get-annotated-message", { messageType: "error", includeImage: true }),
          call("echo", {}),
          ["read_resource", { uri: "demo://no/such/thing" }],
        ];
        return [server, server, steps];
      },
    ],
    [
      "server-filesystem",
      () => {
        const root = someFiles();
        const server = realServer("filesystem", root);
        const steps: Step[] = [
          ["list_tools", {}],
          call("write_file", { path: join(root, "new.txt"), content: "é\n" }),
          call("list_allowed_directories", {}),
          call("directory_tree", { path: root }),
          call("read_text_file", { path: join(root, "sub", "ü.txt") }),
          call("read_text_file", { path: join(root, "a.txt"), head: 1 }),
          call("read_text_file", { path: "/etc/passwd" }),
        ];
        return [server, server, steps];
      },
    ],
    [
      "server-memory",
      () => [
        memoryServer(),
        memoryServer(),
        [
          ["list_tools", {}],
          call("create_entities", { entities: [{ name: "Łukasz", entityType: "person", observations: ["tea"] }] }),
          call("add_observations", { observations: [{ entityName: "Łukasz", contents: ["milk", "1.10"] }] }),
          call("open_nodes", { names: ["Łukasz"] }),
          call("read_graph", {}),
        ],
      ],
    ],
  ];
}

describe.skipIf(sdk === undefined)("[gateway:pumping] the MCP SDK for Python sees through the gateway what it sees without", () => {
  it.each(cases())("%s over stdio", { timeout: 120_000 }, async (_name, make) => {
    const [server, behind, steps] = make();
    const direct = await drive({ command: server }, steps);
    expect(direct).toHaveLength(steps.length + 1);
    expect(withoutDecision(await drive({ command: gated(behind) }, steps))).toEqual(withoutDecision(direct));
  });

  it.each(cases())("%s over Streamable HTTP", { timeout: 120_000 }, async (_name, make) => {
    const [server, behind, steps] = make();
    const gateway = await startHttp(["proxy", "--bundle", "agent-session", "--", ...behind]);
    const direct = await drive({ command: server }, steps);
    expect(withoutDecision(await drive({ url: gateway.url }, steps))).toEqual(withoutDecision(direct));
    expect((await gateway.stop()).code).toBe(0);
  });

  it("a refusal is shown, although the tool declares an output schema (M04)", { timeout: 60_000 }, async () => {
    const steps: Step[] = [call("get-structured-content", { location: "New York" })];
    const [, refused] = await drive({ command: gated(realServer("everything"), "ai-agent") }, steps);
    expect(refused).toMatchObject({ isError: true, content: [{ type: "text", text: expect.stringContaining("ai_agent: ") as string }] });
  });
});
