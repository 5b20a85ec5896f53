// The same tool as `regate serve` offers, without a gate: the peer that a gated call is compared with.
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const server = new Server({ name: "ungated", version: "1.0.0" }, { capabilities: { tools: {} } });
const session = { id: "mcp-1796059959661589659", agent_id: "bench", user: "bench", created: "2026-01-01T00:00:00.000Z" };
server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [{ name: "list_sessions", inputSchema: { type: "object" } }] }));
server.setRequestHandler(CallToolRequestSchema, () => {
  const structuredContent = { sessions: [session] };
  return { content: [{ type: "text", text: JSON.stringify(structuredContent) }], structuredContent };
});
await server.connect(new StdioServerTransport());
