// The upstream of gateway.bench.mjs: the least that a server can do.
const TOOLS = [{ name: "echo", inputSchema: { type: "object", properties: { s: { type: "string" } } } }];
const answer = (id, result) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`);
let held = "";
process.stdin.setEncoding("utf8").on("data", (chunk) => {
  held += chunk;
  for (let end = held.indexOf("\n"); end !== -1; end = held.indexOf("\n")) {
    const { id, method, params } = JSON.parse(held.slice(0, end));
    held = held.slice(end + 1);
    if (method === "initialize")
      answer(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "b", version: "1" } });
    else if (method === "tools/list") answer(id, { tools: TOOLS });
    else if (method === "tools/call") answer(id, { content: [{ type: "text", text: params.arguments.s }] });
  }
});
process.stdin.on("end", () => process.exit(0));
