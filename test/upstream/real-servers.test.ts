import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ListRootsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, it, onTestFinished } from "vitest";
import { memoryServer, realServer, withoutDecision, type Command } from "../e2e/real-servers.ts";
import { folder } from "./gateway-kit.ts";

async function connect(command: Command, roots: string | undefined): Promise<Client> {
  const [program = "", ...args] = command;
  const client = new Client({ name: "real", version: "1" }, { capabilities: roots === undefined ? {} : { roots: {} } });
  if (roots !== undefined) client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: `file://${roots}` }] }));
  await client.connect(new StdioClientTransport({ command: program, args, stderr: "ignore" }));
  onTestFinished(() => client.close());
  return client;
}

async function both(command: Command, roots?: string): Promise<{ direct: Client; gated: Client }> {
  const gate = [process.execPath, "bin/regate.js", "proxy", "--bundle", "agent-session", "--state-dir", folder(), "--", ...command];
  return { direct: await connect(command, roots), gated: await connect(gate, roots) };
}

describe("real servers behind the gateway: every answer equals the direct one", () => {
  it("server-everything", async () => {
    const { direct, gated } = await both(realServer("everything"));
    expect(gated.getServerCapabilities()).toEqual(direct.getServerCapabilities());
    expect(gated.getServerVersion()).toEqual(direct.getServerVersion());
    expect(gated.getInstructions()).toEqual(direct.getInstructions());
    expect(await gated.listTools()).toEqual(await direct.listTools());
    expect(await gated.listPrompts()).toEqual(await direct.listPrompts());
    expect(await gated.listResourceTemplates()).toEqual(await direct.listResourceTemplates());
    for (const call of [
      { name: "echo", arguments: { message: "hi" } },
      { name: "get-sum", arguments: { a: 1.5, b: 2 } },
      { name: "get-tiny-image", arguments: {} },
      { name: "get-structured-content", arguments: { location: "New York" } },
      { name: "echo", arguments: {} },
    ]) {
      expect(withoutDecision(await gated.callTool(call))).toEqual(withoutDecision(await direct.callTool(call)));
    }
  });

  it("server-filesystem, with the client's roots", async () => {
    const [allowed, roots] = [folder(), folder()];
    mkdirSync(join(roots, "sub"));
    writeFileSync(join(roots, "sub", "a.txt"), "text");
    const { direct, gated } = await both(realServer("filesystem", allowed), roots);
    await expect
      .poll(async () => JSON.stringify((await gated.callTool({ name: "list_allowed_directories", arguments: {} })).content))
      .toContain(roots);
    expect(await gated.listTools()).toEqual(await direct.listTools());
    for (const call of [
      { name: "read_text_file", arguments: { path: join(roots, "sub", "a.txt") } },
      { name: "read_text_file", arguments: { path: "/etc/passwd" } },
      { name: "list_directory", arguments: { path: roots } },
    ]) {
      expect(withoutDecision(await gated.callTool(call))).toEqual(withoutDecision(await direct.callTool(call)));
    }
  });

  it("server-memory", async () => {
    const { direct, gated } = await both(memoryServer());
    expect(await gated.listTools()).toEqual(await direct.listTools());
    const search = { name: "search_nodes", arguments: { query: "nothing" } };
    expect(withoutDecision(await gated.callTool(search))).toEqual(withoutDecision(await direct.callTool(search)));
  });
});
