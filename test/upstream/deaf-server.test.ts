import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { codeOf, folder, startGateway } from "./gateway-kit.ts";

/** Reads nothing while there is a file of that name, and says so by a second one; then answers everything. */
const DEAF = `import { existsSync, writeFileSync } from "node:fs"; import { createInterface } from "node:readline";
  const [, , deaf] = process.argv;
  const say = (id, result) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result }) + "\\n");
  createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, method, params } = JSON.parse(line);
    if (method === "initialize") say(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "d", version: "1" } });
    else if (method === "tools/list") say(id, { tools: [{ name: "take", inputSchema: { type: "object" } }] });
    else if (id !== undefined) say(id, { content: [{ type: "text", text: String(params.arguments.s.length) }] });
  });
  const look = () => {
    if (!existsSync(deaf)) return process.stdin.resume();
    process.stdin.pause();
    writeFileSync(deaf + "-now", "");
  };
  setInterval(look, 20); process.stdin.on("end", () => process.exit(0));`;
const CALLS = 50;
const CHARACTERS = 900_000;

describe("a server that does not read", { timeout: 300_000 }, () => {
  it("is asked nothing more once 32 MiB wait for it: such calls are unavailable at once, and it serves again when it reads again", async () => {
    const home = folder();
    const [script, deaf] = [join(home, "deaf.mjs"), join(home, "deaf")];
    writeFileSync(script, DEAF);
    const servers = { d: { command: process.execPath, args: [script, deaf] } };
    const gateway = startGateway({ stateDir: home, servers, flags: ["--sandbox", "none", "--upstream-timeout-ms", "600000"] });
    await gateway.hello();
    await gateway.ask({ id: "list", method: "tools/list" });
    writeFileSync(deaf, "");
    await expect.poll(() => existsSync(`${deaf}-now`)).toBe(true);
    const answers = Array.from({ length: CALLS }, (_, at) => gateway.call("take", { s: "x".repeat(CHARACTERS), at }));
    const last = await answers.at(-1);
    expect(last?.result?._meta?.["regate/decision"]).toMatchObject({ code: "upstream.unavailable", retryable: true });
    rmSync(deaf);
    const codes = (await Promise.all(answers)).map(codeOf);
    const served = codes.filter((code) => code === "ok").length;
    expect([served > 20, served < CALLS - 10]).toEqual([true, true]);
    expect(codes.filter((code) => code === "upstream.unavailable")).toHaveLength(CALLS - served);
    expect(codeOf(await gateway.call("take", { s: "again" }))).toBe("ok");
  });
});
