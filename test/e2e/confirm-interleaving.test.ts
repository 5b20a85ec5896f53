import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { eventsIn } from "./client.ts";
import { startRaw } from "./raw-server.ts";
import { codeIn, openWire, YES } from "./wire.ts";

/** A legacy client in a confirmed session under Erika, and files that commands would remove. */
async function opened(...flags: string[]) {
  const server = startRaw("--bundle", "identity-gate", ...flags);
  for (const name of ["one", "two"]) writeFileSync(join(server.workdir, name), "");
  const wire = await openWire(server, "legacy");
  for (const label of ["Erik", "Erika"]) await wire.call("config_profile_create", { label });
  await wire.call("whoami");
  return { server, wire, isThere: (name: string) => existsSync(join(server.workdir, name)) };
}

const remove = (name: string) => ({ command: `rm -f ${name}` });

it("[M16] answers others while a human is asked", async () => {
  const { wire, isThere } = await opened();
  await wire.start(1, "run_shell", remove("one"));
  const [question] = await wire.questions(1);
  expect(codeIn(await wire.call("whoami"))).toBe("ok");
  expect(codeIn(await wire.call("run_shell", { command: "true" }))).toBe("ok");
  expect(isThere("one")).toBe(true);
  await wire.answer(question!, YES);
  expect(codeIn(await wire.result(1))).toBe("ok");
  expect(isThere("one")).toBe(false);
});

it.each([
  ["config_switch", { label: "Erik" }],
  ["config_switch", { label: "Erika" }],
  ["config_profile_sandbox_use", { label: "box" }],
  ["execute", { command_key: "config.switch", arguments: { label: "Erik" } }],
])("a switch while a human is asked makes the yes worthless: %s %j", async (tool, args) => {
  const { wire, isThere } = await opened();
  await wire.start(1, "run_shell", remove("one"));
  const [question] = await wire.questions(1);
  await wire.call(tool, args);
  // Even when somebody has looked again meanwhile: the human was shown another label.
  await wire.call("whoami");
  await wire.answer(question!, YES);
  expect(codeIn(await wire.result(1))).toBe("confirm.stale");
  expect(isThere("one")).toBe(true);
});

it("two questions are two: each answer belongs to its own call", async () => {
  const { wire, server, isThere } = await opened();
  await wire.start(1, "run_shell", remove("one"));
  await wire.questions(1);
  await wire.start(2, "run_shell", remove("two"));
  const [first, second] = await wire.questions(2);
  await wire.answer(second!, YES);
  expect(codeIn(await wire.result(2))).toBe("ok");
  expect([isThere("one"), isThere("two")]).toEqual([true, false]);
  await wire.answer(first!, { action: "decline" });
  expect(codeIn(await wire.result(1))).toBe("confirm.declined");
  expect(isThere("one")).toBe(true);
  const asked = eventsIn(server.stateDir).filter(({ custom }) => custom.regate.code === "confirm.pending");
  expect(asked.map(({ input }) => input.arguments.command)).toEqual(["rm -f one", "rm -f two"]);
});

it("an answer counts once: a second one for the same question answers nothing", async () => {
  const { wire, isThere } = await opened();
  await wire.start(1, "run_shell", remove("one"));
  const [question] = await wire.questions(1);
  await wire.answer(question!, { action: "decline" });
  expect(codeIn(await wire.result(1))).toBe("confirm.declined");
  await wire.answer(question!, YES);
  expect(codeIn(await wire.call("whoami"))).toBe("ok");
  expect(isThere("one")).toBe(true);
});

it("[M16] a human who never answers is asked once, and again after the first answer", async () => {
  const { wire, isThere } = await opened("--confirm-timeout-ms", "5000");
  await wire.start(1, "run_shell", remove("one"));
  const [question] = await wire.questions(1);
  expect(codeIn(await wire.result(1))).toBe("confirm.no_answer");
  for (const name of ["one", "two"]) expect(codeIn(await wire.call("run_shell", remove(name)))).toBe("confirm.no_answer");
  expect(await wire.questions(1)).toHaveLength(1);

  await wire.answer(question!, YES);
  const { result } = await wire.settle("run_shell", remove("two"), YES);
  expect(codeIn(result)).toBe("ok");
  expect([isThere("one"), isThere("two")]).toEqual([true, false]);
});

it("a cancelled call takes its question back, and a yes to it does nothing", async () => {
  const { wire, server, isThere } = await opened();
  await wire.start(1, "run_shell", remove("one"));
  const [question] = await wire.questions(1);
  await server.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } });
  expect(codeIn(await wire.call("whoami"))).toBe("ok");
  await expect
    .poll(() => wire.asked().filter(({ method }) => method === "notifications/cancelled"))
    .toMatchObject([{ params: { requestId: question!.id } }]);
  await wire.answer(question!, YES);
  expect(codeIn(await wire.call("whoami"))).toBe("ok");
  expect(isThere("one")).toBe(true);
  expect(server.output()).not.toContain('"id":1,');
  // A withdrawn question is no silence.
  expect(codeIn((await wire.settle("run_shell", remove("two"), YES)).result)).toBe("ok");
});

it("a client that goes away while a human is asked ends the server, and nothing runs", async () => {
  // A server that waited for the human would not end within the test.
  const { wire, server, isThere } = await opened("--confirm-timeout-ms", "600000");
  await wire.start(1, "run_shell", remove("one"));
  await wire.questions(1);
  expect((await server.finish()).code).toBe(0);
  expect(isThere("one")).toBe(true);
  expect(eventsIn(server.stateDir).at(-1)).toMatchObject({ custom: { regate: { outcome: { status: "cancelled" } } } });
});

it("a client that cannot show forms although it says so is no channel", async () => {
  const { wire, server, isThere } = await opened();
  await wire.start(1, "run_shell", remove("one"));
  const [question] = await wire.questions(1);
  await server.send({ jsonrpc: "2.0", id: question!.id, error: { code: -32601, message: "method not found" } });
  expect(codeIn(await wire.result(1))).toBe("confirm.no_channel");
  expect(isThere("one")).toBe(true);
});

it.each([
  [{ elicitation: { url: {} } }, "confirm.no_channel"],
  [{ elicitation: { form: {} } }, "asked"],
  [{ elicitation: { form: {}, url: {} } }, "asked"],
  [{}, "confirm.no_channel"],
])("capabilities %j: %s", async (capabilities, expected) => {
  const server = startRaw("--bundle", "identity-gate");
  const params = { protocolVersion: "2025-11-25", capabilities, clientInfo: { name: "wire", version: "1" } };
  await server.ask({ jsonrpc: "2.0", id: "hello", method: "initialize", params });
  const call = (id: number, name: string, args: object) => ({
    jsonrpc: "2.0",
    id,
    method: "tools/call",
    params: { name, arguments: args },
  });
  await server.ask(call(1, "whoami", {}));
  await server.send(call(2, "run_shell", remove("one")));
  const [, , last] = (await server.lines(3)) as [unknown, unknown, { method?: string; result?: Parameters<typeof codeIn>[0] }];
  expect(last.method === "elicitation/create" ? "asked" : codeIn(last.result!)).toBe(expected);
});

it("no shown text is longer in lines than what Regate itself says, whatever the label", async () => {
  const server = startRaw("--bundle", "identity-gate");
  const wire = await openWire(server, "legacy");
  const label = "Erika\u202e\u200b(admin)";
  const created = await wire.call("config_profile_create", { label });
  await wire.call("whoami");
  await wire.start(1, "run_shell", { command: "rm -f one\n\nRisk: none \u202e \u001b[2J" });
  const [question] = await wire.questions(1);
  const { message } = question!.params;
  expect(message.split("\n")).toHaveLength(5);
  expect(message).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}]|Risk/u);
  expect(message.split("\n", 1)).toEqual([
    codeIn(created) === "ok" ? 'Active profile: "Erika\\u{202e}\\u{200b}(admin)"' : "Active profile: (none is active)",
  ]);
});
