import { chmodSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildBundle, closeBuilds } from "../policy/support/build.ts";
import { codeOf, FIXTURE, folder, startGateway } from "./gateway-kit.ts";

/** Destructive tools are refused by their own name and by their hint; `echo` is confirmed. */
const REGO = `package gate

default allowed := false

allowed if {
	not input.tool.destructive
	input.tool.name != "gone"
}

default confirmed := "none"

confirmed := "elicit" if input.tool.name == "echo"

decision := {"allow": allowed, "reasons": set(), "effect": "none", "confirm": confirmed}

message := {"allow": true, "reasons": set(), "effect": "none", "confirm": "none"}
`;
let archive: Uint8Array;

beforeAll(async () => {
  archive = await buildBundle({ rego: REGO, entrypoints: ["gate/decision", "gate/message"] });
}, 180_000);
afterAll(closeBuilds);

function home(): { stateDir: string; bundle: string } {
  const stateDir = folder();
  const bundle = join(stateDir, "drift.tar.gz");
  writeFileSync(bundle, archive);
  return { stateDir, bundle };
}

describe("between the decision and the call", () => {
  it("a tool that changes while a human is asked about it is quarantined, and not called", async () => {
    const { stateDir, bundle } = home();
    const gateway = startGateway({ stateDir, bundle, flags: ["--sandbox", "none"] });
    await gateway.hello({ elicitation: {} });
    await gateway.ask({ id: "list", method: "tools/list" });
    const waiting = gateway.call("echo", { s: "a" });
    const { id } = await gateway.until(({ method }) => method === "elicitation/create");
    expect(codeOf(await gateway.call("drift"))).toBe("ok");
    await gateway.until(({ method }) => method === "notifications/tools/list_changed");
    gateway.send({ id, result: { action: "accept", content: { confirm: true } } });
    expect(codeOf(await waiting)).toBe("pin.changed");
    expect(gateway.got().filter(({ params }) => params?.["name"] === "echo")).toEqual([]);
  });

  it("a tool of a server that only the call itself brought up is judged as what it is", async () => {
    const { stateDir, bundle } = home();
    // Starts at the second attempt only.
    const script = join(stateDir, "flaky.sh");
    const log = join(stateDir, "flaky.log");
    const options = JSON.stringify({ tools: [{ name: "gone", inputSchema: { type: "object" } }] });
    writeFileSync(
      script,
      `#!/bin/sh\nif [ ! -e "$0.once" ]; then : > "$0.once"; exit 1; fi\nexec '${process.execPath}' '${FIXTURE}' '${log}' '${options}'\n`,
    );
    chmodSync(script, 0o755);
    const servers = { flaky: { command: script }, other: {} };
    for (const [tool, code] of [
      ["wipe", "policy.denied"],
      ["gone", "policy.denied"],
      ["look", "ok"],
    ] as const) {
      rmSync(`${script}.once`, { force: true });
      rmSync(log, { force: true });
      const gateway = startGateway({ stateDir: folder(), bundle, servers, flags: ["--sandbox", "none"] });
      await gateway.hello();
      await gateway.ask({ id: "list", method: "tools/list" });
      await expect.poll(gateway.stderr).toContain("server `flaky` exited");
      expect([tool, codeOf(await gateway.call(`flaky__${tool}`))]).toEqual([tool, code]);
      await gateway.finish();
    }
  });
});
