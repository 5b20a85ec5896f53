// Real processes of delegated execution for demo, chaos run and benchmark: Redis, workers, fronts with an MCP client.
import { spawn } from "node:child_process";
import { randomBytes, randomInt } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const PROGRAM = fileURLToPath(new URL("../bin/regate.js", import.meta.url));

/** Numbers of the horizon that hold: what is abandoned is settled soon, and a call has time also on a busy machine. */
export const HORIZON = {
  "turn-checkpoint-ttl": 60,
  "execution-lease": 20,
  "claim-min-idle": 2,
  "claim-sweep": 1,
  "max-deliveries": 10,
  "max-exec": 30,
  "proof-ttl": 400,
};

/** A free port below those that the system gives to connections and to `listen(0)`: nobody takes it while Redis is started again. */
async function freePort() {
  for (;;) {
    const port = randomInt(10_000, 32_768);
    const server = createServer();
    const isFree = await new Promise((resolve) => {
      server.once("error", () => resolve(false)).listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
    });
    if (isFree) return port;
  }
}

async function answers(port) {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    socket.write("PING\r\n");
    const [answer] = await once(socket, "data");
    return !answer.toString().startsWith("-LOADING");
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/** A folder with Redis, a proof key and a working directory; `end` stops what was started and removes everything. */
export async function openPlace({ aclFile } = {}) {
  const folder = mkdtempSync(join(tmpdir(), "regate-service-"));
  const workdir = join(folder, "work");
  const key = randomBytes(32).toString("hex");
  const keyFile = join(folder, "proof.key");
  mkdirSync(workdir);
  writeFileSync(keyFile, key, { mode: 0o600 });
  const port = await freePort();
  const words = [
    "--port",
    `${port}`,
    "--bind",
    "127.0.0.1",
    "--dir",
    folder,
    "--save",
    "",
    "--appendonly",
    "yes",
    "--appendfsync",
    "always",
  ];
  const children = new Set();
  let redis;
  const start = (command, args, options) => {
    const child = spawn(command, args, options);
    children.add(child);
    child.once("exit", () => children.delete(child));
    return child;
  };
  const startRedis = async () => {
    redis = start("redis-server", [...words, ...(aclFile === undefined ? [] : ["--aclfile", aclFile])], { stdio: "ignore" });
    while (!(await answers(port))) {
      if (redis.exitCode !== null) throw new Error(`redis-server ended with ${redis.exitCode}`);
      await sleep(20);
    }
  };
  await startRedis();
  const flags = [
    "--proof-key-file",
    keyFile,
    "--workdir",
    workdir,
    ...Object.entries(HORIZON).flatMap(([name, value]) => [`--${name}`, `${value}`]),
  ];
  const env = { PATH: process.env.PATH, HOME: folder };
  const place = {
    folder,
    workdir,
    key,
    url: (user) => `redis://${user === undefined ? "" : `${user}:change-me-${user}@`}127.0.0.1:${port}`,
    async killRedis() {
      const gone = once(redis, "exit");
      redis.kill("SIGKILL");
      await gone;
    },
    startRedis,
    /** Starts a worker and waits until it says so. */
    async worker(name, { user, more = [] } = {}) {
      const state = ["--state-dir", join(folder, `state-${name}`), "--sandbox", "none", "--recordings", "off"];
      const child = start(
        process.execPath,
        [PROGRAM, "worker", "--redis", place.url(user), "--worker-name", name, ...flags, ...state, ...more],
        {
          env,
          stdio: ["ignore", "ignore", "pipe"],
        },
      );
      let said = "";
      child.stderr.on("data", (bytes) => (said += bytes));
      while (!said.includes("with bundle")) {
        if (child.exitCode !== null) throw new Error(`worker ${name} ended: ${said}`);
        await sleep(20);
      }
      return {
        said: () => said,
        async end(signal = "SIGTERM") {
          if (child.exitCode !== null || child.signalCode !== null) return;
          const gone = once(child, "exit");
          child.kill(signal);
          await gone;
        },
      };
    },
    /** Starts a server with a connected client; with `delegated: false` its tools run in itself. */
    async front(name, { user, delegated = true, more = [] } = {}) {
      const backend = delegated ? ["--tools-backend", place.url(user), ...flags] : ["--workdir", workdir];
      const state = ["--state-dir", join(folder, `state-${name}`), "--sandbox", "none", "--recordings", "off"];
      const transport = new StdioClientTransport({
        command: process.execPath,
        args: [PROGRAM, "serve", ...backend, ...state, ...more],
        env,
        stderr: "ignore",
      });
      const client = new Client({ name: "tools-service-kit", version: "1.0.0" });
      await client.connect(transport);
      return client;
    },
    /** How often a command appended to a file. */
    runs(marker) {
      const file = join(workdir, marker);
      return existsSync(file) ? readFileSync(file, "utf8").split("\n").length - 1 : 0;
    },
    async end() {
      await Promise.all(
        [...children].map(async (child) => {
          const gone = once(child, "exit");
          child.kill("SIGKILL");
          await gone;
        }),
      );
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
  return place;
}
