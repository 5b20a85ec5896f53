// An agent with three tools behind a gate. Run it with `node examples/embed/main.mjs` after `npm run build`.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createGate } from "regate";

const notes = new Map([["todo", "write the tests"]]);
const text = (value) => ({ content: [{ type: "text", text: value }] });

// What your agent calls "tools": a name, and a function of the arguments.
const tools = {
  whoami: () => text("you work as `erika`"),
  read_note: ({ name }) => text(notes.get(name) ?? "no such note"),
  write_note: ({ name, body }) => {
    notes.set(name, body);
    return text("written");
  },
};

const stateDir = mkdtempSync(join(tmpdir(), "regate-example-"));
const gate = await createGate({
  bundle: "identity-gate",
  agentId: "note-keeper",
  risk: { read_note: { read_only: true }, write_note: { read_only: false } },
  stateDir,
});

// What a model might ask for, and what must come of it.
const calls = [
  { tool: "read_note", arguments: { name: "todo" }, expected: "ok" },
  { tool: "write_note", arguments: { name: "todo", body: "rest" }, expected: "identity.unconfirmed" },
  { tool: "whoami", arguments: {}, expected: "ok" },
  { tool: "write_note", arguments: { name: "todo", body: "rest" }, expected: "ok" },
];

let asExpected = true;
for (const { tool, arguments: args, expected } of calls) {
  const result = await gate.run({ tool, arguments: args }, tools[tool]);
  const code = result._meta["regate/decision"].code ?? "ok";
  asExpected &&= code === expected;
  const [{ text: said = "" }] = result.content;
  process.stdout.write([tool.padEnd(12), code.padEnd(22), said].join(" ").concat("\n"));
}
await gate.close();
rmSync(stateDir, { recursive: true });
process.exitCode = asExpected ? 0 : 1;
