// Gateways of others for gateway.bench.mjs: the real packages, installed once into .tools/ by their exact versions. They bring their own
// MCP SDKs and some 100 MB, which nobody but this benchmark needs.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";

const FOLDER = ".tools/gateway-peers";
const PEERS = { "mcp-proxy": "6.7.19", supergateway: "4.0.0" };
const ENTRIES = { "mcp-proxy": "dist/bin/mcp-proxy.mjs", supergateway: "dist/index.js" };
const pathOf = (name) => `${FOLDER}/node_modules/${name}/${ENTRIES[name]}`;

/** Names of the peers, with their versions. */
export const peerNames = () => Object.entries(PEERS).map(([name, version]) => `${name} ${version}`);

/**
 * Commands of the peers that are there, which serve Streamable HTTP at /mcp, one child of the upstream for each client.
 * @param port where to listen @param upstream command and arguments of a server over stdio
 */
export function peerWays(port, upstream) {
  install();
  const all = {
    [`mcp-proxy ${PEERS["mcp-proxy"]}`]: [
      pathOf("mcp-proxy"),
      "--host",
      "127.0.0.1",
      "--port",
      String(port),
      "--server",
      "stream",
      "--",
      ...upstream,
    ],
    [`supergateway ${PEERS.supergateway}`]: [
      pathOf("supergateway"),
      "--stdio",
      upstream.join(" "),
      "--outputTransport",
      "streamableHttp",
      "--stateful",
      "--logLevel",
      "none",
      "--port",
      String(port),
    ],
  };
  return Object.fromEntries(Object.entries(all).filter(([, [entry]]) => existsSync(entry)));
}

function install() {
  if (Object.keys(PEERS).every((name) => existsSync(pathOf(name)))) return;
  mkdirSync(FOLDER, { recursive: true });
  const packages = Object.entries(PEERS).map(([name, version]) => `${name}@${version}`);
  const words = ["install", "--no-audit", "--no-fund", "--no-save", "--ignore-scripts", "--prefix", FOLDER, ...packages];
  spawnSync("npm", words, { stdio: ["ignore", "ignore", "inherit"] });
}
