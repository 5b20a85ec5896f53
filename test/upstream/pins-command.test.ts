import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { codeOf, folder, startGateway } from "./gateway-kit.ts";

const pins = (stateDir: string, ...words: string[]) => {
  const args = ["bin/regate.js", "pins", ...words, "--state-dir", join(stateDir, "state")];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8", env: { PATH: process.env["PATH"] ?? "" } });
  return { status, stdout, stderr };
};

describe("regate pins", () => {
  it("[gateway:pins] show gives a readable diff, accept ends the quarantine, of a server that is running too", async () => {
    const stateDir = folder();
    const gateway = startGateway({ stateDir });
    await gateway.hello();
    await gateway.call("drift");
    await gateway.until(({ method }) => method === "notifications/tools/list_changed");
    expect(codeOf(await gateway.call("echo"))).toBe("pin.changed");
    const shown = pins(stateDir, "show");
    expect(shown).toMatchObject({ status: 0, stderr: "" });
    expect(shown.stdout).toContain('-  "description": "does echo"');
    expect(shown.stdout).toContain('+  "description": "now something else"');
    expect(pins(stateDir, "accept", "upstream", "echo").stdout).toBe("accepted: upstream tools echo (changed)\n");
    await gateway.ask({ id: 5, method: "tools/list" });
    expect(codeOf(await gateway.call("echo"))).toBe("ok");
    expect(pins(stateDir, "show").stdout).toContain("no difference");
  });

  it("[gateway:decisions] a tool that comes in a later process is new until it is accepted; another command needs the whole server", async () => {
    const stateDir = folder();
    const first = startGateway({ stateDir });
    await first.hello();
    await first.call("echo");
    await first.finish();
    const second = startGateway({ stateDir });
    await second.hello();
    await second.call("grow");
    await second.until(({ method }) => method === "notifications/tools/list_changed");
    expect(codeOf(await second.call("late"))).toBe("pin.new");
    await second.finish();
    const third = startGateway({ stateDir, fixture: { other: true } });
    await third.hello();
    expect(codeOf(await third.call("echo"))).toBe("pin.server_changed");
    expect(pins(stateDir, "accept", "upstream", "echo").status).toBe(2);
    expect(pins(stateDir, "accept", "upstream").status).toBe(0);
    await third.ask({ id: 5, method: "tools/list" });
    expect(codeOf(await third.call("echo"))).toBe("ok");
  });
});
