import { spawn, type ChildProcess } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createClient } from "redis";
import { haveSystemPart } from "../system-part.ts";

/** Whether Debian's redis-server is there. */
export const haveRedis = haveSystemPart({ program: "redis-server", package: "redis-server" });

/** A Redis server of one test file, on a free loopback port, that can be killed and started again with its data. */
export interface RedisServer {
  readonly port: number;
  url(user?: string, password?: string): string;
  start(): Promise<void>;
  kill(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * A port of this machine that nobody listens on, and that nobody gets who leaves the choice to the system: it lies below the ports that the
 * system gives to connections and to `listen(0)`, so that it is still free when it is used, and again after its server was killed.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_000, 32_768);
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once("error", () => resolve(false)).listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
    });
    if (isFree) return port;
  }
}

/** Starts a server; with `cluster` it is a whole cluster of one node; with `appendonly` it keeps its data over a kill, with an ACL file it knows the users of that file only. */
export async function startRedis(options: { aclFile?: string; appendOnly?: boolean; cluster?: boolean } = {}): Promise<RedisServer> {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), "regate-redis-"));
  const words = ["--port", String(port), "--bind", "127.0.0.1", "--dir", folder, "--save", "", "--daemonize", "no"];
  if (options.aclFile !== undefined) words.push("--aclfile", options.aclFile);
  if (options.appendOnly === true) words.push("--appendonly", "yes", "--appendfsync", "always");
  if (options.cluster === true) words.push("--cluster-enabled", "yes", "--cluster-port", String(await freePort()));
  let child: ChildProcess | undefined;
  const kill = async (): Promise<void> => {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, "exit");
    child.kill("SIGKILL");
    await gone;
  };
  const server: RedisServer = {
    port,
    url: (user, password) => `redis://${user === undefined ? "" : `${user}:${password ?? ""}@`}127.0.0.1:${port}`,
    async start() {
      const started = spawn("redis-server", words, { stdio: ["ignore", "ignore", "inherit"] });
      child = started;
      while (!(await answers(port))) {
        if (started.exitCode !== null || started.signalCode !== null) throw new Error(`redis-server ended with ${started.exitCode}`);
        await sleep(20);
      }
    },
    kill,
    async stop() {
      await kill();
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
  await server.start();
  return server;
}

/** Whether the server takes commands; while it loads its data it answers with an error. */
async function answers(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    socket.write("PING\r\n");
    const [answer] = (await once(socket, "data")) as [Buffer];
    return !answer.toString().startsWith("-LOADING");
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/** A connected client of the test itself. */
export async function clientOf(url: string) {
  const client = createClient({ url, RESP: 2, socket: { reconnectStrategy: (retries) => Math.min(50 * retries, 500) } });
  client.on("error", () => undefined);
  await client.connect();
  return client;
}

/** Such a client. */
export type TestClient = Awaited<ReturnType<typeof clientOf>>;
