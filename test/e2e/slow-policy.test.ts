import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildBundle, closeBuilds } from "../policy/support/build.ts";
import { temporaryFolder } from "./client.ts";
import { startRaw, type RawServer } from "./raw-server.ts";

/** Allows `list_sessions`, and never ends for `audit_log`. */
const REGO = `package gate

some_numbers := [${Array.from({ length: 300 }, (_, at) => at + 1).join(", ")}]

decision := {"allow": allowed, "reasons": set(), "effect": "none", "confirm": "none"}

default allowed := false

allowed if input.command == "list_sessions"

allowed if {
	input.command == "audit_log"
	some a in some_numbers
	some b in some_numbers
	some c in some_numbers
	some d in some_numbers
	a * b * c * d < 0
}
`;
let archive: Uint8Array;

beforeAll(async () => {
  archive = await buildBundle({ rego: REGO });
});
afterAll(closeBuilds);

const call = (id: number, name: string): object => ({ jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: {} } });

async function started(calls: readonly string[]): Promise<RawServer> {
  const bundle = join(temporaryFolder(), "endless.tar.gz");
  writeFileSync(bundle, archive);
  const server = startRaw("--bundle", bundle);
  await server.ask({ jsonrpc: "2.0", id: "up", method: "ping" });
  await server.write(calls.map((name, id) => `${JSON.stringify(call(id, name))}\n`).join(""));
  await new Promise((resolve) => setTimeout(resolve, 100));
  return server;
}

describe("a policy that loops", () => {
  it("is refused at the deadline, and the next call is decided [P01]", async () => {
    const server = await started(["audit_log", "list_sessions"]);
    const [, late, next] = await server.lines(3);
    expect(late).toMatchObject({
      id: 0,
      result: {
        isError: true,
        content: [{ type: "text", text: "policy: evaluation failed" }],
        _meta: { "regate/decision": { code: "policy.error" } },
      },
    });
    expect(next).toMatchObject({ id: 1, result: { structuredContent: { sessions: [{}] } } });
  });

  // Each of these calls takes the second that its policy has: all of them would take longer than a test may.
  it("does not hold up SIGTERM, however many calls wait", async () => {
    const server = await started(Array.from({ length: 100 }, () => "audit_log"));
    server.child.kill("SIGTERM");
    await new Promise((resolve) => server.child.once("exit", resolve));
    expect([server.child.exitCode, server.child.signalCode]).toEqual([0, null]);
  });

  it("does not hold up the end of stdin; each call that came is answered", async () => {
    const server = await started(Array.from({ length: 100 }, () => "audit_log"));
    expect((await server.finish()).code).toBe(0);
    const answers = await server.lines(101);
    expect(answers.map(({ id }) => id)).toEqual(["up", ...Array.from({ length: 100 }, (_, id) => id)]);
    const ofCode = (code: string): object => ({ result: { _meta: { "regate/decision": { code } } } });
    expect([answers[1], answers.at(-1)]).toMatchObject([ofCode("policy.error"), ofCode("gate.closed")]);
  });
});
