import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { describe, expect, it, onTestFinished } from "vitest";
import { eventsIn, temporaryFolder } from "./client.ts";
import { startRaw } from "./raw-server.ts";
import { codeIn, openWire, YES, type WireResult } from "./wire.ts";

const REMOVE = { command: "rm -f victim" };
const EXECUTE = { command_key: "run_shell", arguments: REMOVE };
const answered = ({ requestState }: WireResult, answer: unknown = YES) => ({ inputResponses: { confirm: answer }, requestState });

/** A client of 2026-07-28 in a confirmed session under Erika, and a file that a command would remove. */
async function opened(...flags: string[]) {
  const server = startRaw("--bundle", "identity-gate", ...flags);
  const victim = join(server.workdir, "victim");
  writeFileSync(victim, "");
  const wire = await openWire(server, "modern");
  for (const label of ["Erik", "Erika"]) await wire.call("config_profile_create", { label });
  await wire.call("whoami");
  return { server, wire, isThere: () => existsSync(victim) };
}

describe("a question of revision 2026-07-28", () => {
  it.each([
    ["run_shell", REMOVE],
    ["execute", EXECUTE],
  ])("goes out in place of the result, and the repeated call runs once: %s", async (tool, args) => {
    const { wire, server, isThere } = await opened();
    const first = await wire.call(tool, args);
    expect(first).toEqual({
      resultType: "input_required",
      inputRequests: {
        confirm: {
          method: "elicitation/create",
          params: {
            mode: "form",
            message: expect.stringContaining('Active profile: "Erika"\n\nThe agent asks to run `run_shell`.\n') as string,
            requestedSchema: expect.objectContaining({ type: "object", required: ["confirm"] }) as object,
          },
        },
      },
      requestState: expect.stringMatching(/^[A-Za-z0-9_-]{80,600}$/) as string,
      _meta: expect.objectContaining({ "regate/decision": expect.objectContaining({ code: "confirm.pending" }) as object }) as object,
    });
    expect(isThere()).toBe(true);
    const second = await wire.call(tool, args, answered(first));
    expect(second).toMatchObject({ resultType: "complete", structuredContent: { exit_code: 0 } });
    expect(isThere()).toBe(false);
    const inner = eventsIn(server.stateDir).filter(({ input }) => input?.command === "run_shell");
    expect(inner.map(({ custom }) => custom.regate.code)).toEqual(["confirm.pending", null]);
    expect(codeIn(await wire.call(tool, args, answered(first)))).toBe("confirm.state_invalid");
  });

  it("is asked again after wrong keys; further keys are ignored", async () => {
    const { wire, isThere } = await opened();
    const first = await wire.call("run_shell", REMOVE);
    const again = await wire.call("run_shell", REMOVE, { inputResponses: { Confirm: YES, other: 5 }, requestState: first.requestState });
    expect(again.resultType).toBe("input_required");
    expect(again.requestState).not.toBe(first.requestState);
    const bare = await wire.call("run_shell", REMOVE, { requestState: again.requestState });
    expect(bare.resultType).toBe("input_required");
    const unasked = await wire.call("run_shell", REMOVE, { inputResponses: { confirm: YES } });
    expect(unasked.resultType).toBe("input_required");
    expect(isThere()).toBe(true);
    const done = await wire.call("run_shell", REMOVE, { inputResponses: { confirm: YES, other: null }, requestState: bare.requestState });
    expect(codeIn(done)).toBe("ok");
    expect(isThere()).toBe(false);
  });

  it.each<[string, (state: string) => string]>([
    ["one character is another", (state) => `${state.slice(0, 30)}${state[30] === "A" ? "B" : "A"}${state.slice(31)}`],
    ["the last character is another", (state) => `${state.slice(0, -1)}${state.endsWith("A") ? "B" : "A"}`],
    ["it is cut", (state) => state.slice(0, -1)],
    ["something follows", (state) => `${state}A`],
    ["padding follows", (state) => `${state}==`],
    ["white space follows", (state) => `${state}\n`],
    ["it is empty", () => ""],
    ["it is made up", () => Buffer.from(JSON.stringify({ confirm: true })).toString("base64url")],
    ["it is very long", (state) => state.repeat(100)],
  ])("its state is refused when %s", async (_what, change) => {
    const { wire, isThere } = await opened();
    const { requestState = "" } = await wire.call("run_shell", REMOVE);
    const result = await wire.call("run_shell", REMOVE, answered({ requestState: change(requestState) }));
    expect(codeIn(result)).toBe("confirm.state_invalid");
    expect(result.content?.[0]?.text).toBe("confirm: the answer does not belong to this call or is no longer valid, nothing was executed");
    expect(isThere()).toBe(true);
  });

  it.each<[string, string, object]>([
    ["other arguments", "run_shell", { command: "rm -f  victim" }],
    ["another tool", "config_profile_edit", { label: "Erika", description: "x" }],
    ["another path", "execute", EXECUTE],
    ["a call that needs no answer", "whoami", {}],
  ])("its answer is refused with %s, and is used up", async (_what, tool, args) => {
    const { wire, isThere } = await opened();
    const first = await wire.call("run_shell", REMOVE);
    expect(codeIn(await wire.call(tool, args, answered(first)))).toBe("confirm.state_invalid");
    expect(codeIn(await wire.call("run_shell", REMOVE, answered(first)))).toBe("confirm.state_invalid");
    expect(isThere()).toBe(true);
  });

  it("its answer counts only in the process that asked", async () => {
    const [one, other] = [await opened(), await opened()];
    const first = await one.wire.call("run_shell", REMOVE);
    expect(codeIn(await other.wire.call("run_shell", REMOVE, answered(first)))).toBe("confirm.state_invalid");
    expect(other.isThere()).toBe(true);
  });

  it("its answer is judged anew: a switch in between refuses it, also after another identity read", async () => {
    const { wire, isThere } = await opened();
    const [first, second] = [await wire.call("run_shell", REMOVE), await wire.call("run_shell", REMOVE)];
    await wire.call("config_switch", { label: "Erik" });
    expect(codeIn(await wire.call("run_shell", REMOVE, answered(first)))).toBe("identity.unconfirmed");
    await wire.call("whoami");
    expect(codeIn(await wire.call("run_shell", REMOVE, answered(second)))).toBe("confirm.stale");
    expect(isThere()).toBe(true);
  });

  it("its answer comes too late after the time for it", async () => {
    const { wire, isThere } = await opened("--confirm-timeout-ms", "1");
    const first = await wire.call("run_shell", REMOVE);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(codeIn(await wire.call("run_shell", REMOVE, answered(first)))).toBe("confirm.state_invalid");
    expect(isThere()).toBe(true);
  });

  it("a no stands, and the same state cannot become a yes", async () => {
    const { wire, isThere } = await opened();
    const first = await wire.call("run_shell", REMOVE);
    expect(codeIn(await wire.call("run_shell", REMOVE, answered(first, { action: "decline" })))).toBe("confirm.declined");
    expect(codeIn(await wire.call("run_shell", REMOVE, answered(first)))).toBe("confirm.state_invalid");
    expect(isThere()).toBe(true);
  });

  it("an unentitled tool stays unentitled, whatever state comes with it", async () => {
    const list = join(temporaryFolder(), "tools.txt");
    writeFileSync(list, "whoami\n");
    const { wire } = await opened("--agent-tools-file", list);
    expect(codeIn(await wire.call("run_shell", REMOVE, answered({ requestState: "x" })))).toBe("agent.not_entitled");
  });
});

it.each([
  ["run_shell", REMOVE],
  ["execute", EXECUTE],
])("the SDK's own client of 2026-07-28 carries question and answer: %s", async (name, args) => {
  const workdir = temporaryFolder();
  writeFileSync(join(workdir, "victim"), "");
  const flags = ["--bundle", "identity-gate", "--workdir", workdir, "--state-dir", temporaryFolder()];
  const transport = new StdioClientTransport({ command: process.execPath, args: ["bin/regate.js", "serve", ...flags], stderr: "ignore" });
  const client = new Client(
    { name: "modern", version: "1" },
    { capabilities: { elicitation: {} }, versionNegotiation: { mode: { pin: "2026-07-28" } } },
  );
  const asked: string[] = [];
  client.setRequestHandler("elicitation/create", ({ params }) => {
    asked.push(params.message.split("\n", 1)[0] ?? "");
    return { action: "accept", content: { confirm: true } };
  });
  await client.connect(transport);
  onTestFinished(() => client.close());
  await client.callTool({ name: "whoami", arguments: {} });
  expect((await client.callTool({ name, arguments: args })).isError ?? false).toBe(false);
  expect(asked).toEqual(["Active profile: (none is active)"]);
  expect(existsSync(join(workdir, "victim"))).toBe(false);
});
