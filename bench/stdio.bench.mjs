// One MCP call over stdio: `regate serve` with its gate and decision log against the same tool on a plain SDK server.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { compare } from "./measure.mjs";

async function connect(args) {
  const client = new Client({ name: "bench", version: "1.0.0" });
  const started = performance.now();
  await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: "ignore" }));
  const call = () => client.callTool({ name: "list_sessions", arguments: {} });
  await call();
  return { client, call, coldMs: performance.now() - started };
}

export async function run() {
  const stateDir = mkdtempSync(join(tmpdir(), "regate-bench-"));
  const direct = await connect(["bench/ungated-server.mjs"]);
  const gated = await connect(["bin/regate.js", "serve", "--bundle", "ai-agent", "--state-dir", stateDir]);
  const rows = await compare(
    [
      ["ungated server", direct.call],
      ["regate serve", gated.call],
    ],
    { rounds: 5, calls: 400 },
  );
  await Promise.all([direct.client.close(), gated.client.close()]);
  rmSync(stateDir, { recursive: true });
  rows[0]["start to first answer ms"] = Math.round(direct.coldMs);
  rows[1]["start to first answer ms"] = Math.round(gated.coldMs);
  const ratio = rows[1]["p50 µs"] / rows[0]["p50 µs"];
  return { title: "An MCP call over stdio, gated and logged against ungated", note: `p50 ratio gated/ungated: ${ratio.toFixed(2)}`, rows };
}
