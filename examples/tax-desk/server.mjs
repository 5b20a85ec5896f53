// An MCP server of its own that embeds the gate: `node examples/tax-desk/server.mjs FOLDER` serves over stdio.
import { join } from "node:path";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { createGate, elicitationOutcome, ToolError } from "regate";
import { openDesk } from "./desk.mjs";

const folder = process.argv[2];
if (folder === undefined) throw new Error("give the folder of the desk");
const desk = openDesk(folder);
const server = new Server({ name: "tax-desk", version: "1.0.0" }, { capabilities: { tools: {} } });

// Risk is declared, never guessed from a name. What hands something to the tax office asks the human, every time.
const RISK = {
  return_read: { read_only: true },
  return_prepare: { read_only: false },
  filing_submit: { read_only: false, handoff: true },
};

const gate = await createGate({
  bundle: "identity-gate",
  agentId: "tax-desk",
  risk: RISK,
  stateDir: join(folder, "state"),
  activeProfile: desk.activeLabel,
  // The gate words the question, this server carries it to the client.
  confirm: async ({ question, signal }) => {
    if (!server.getClientCapabilities()?.elicitation?.form) return "no_channel";
    return elicitationOutcome(await server.elicitInput(question, { signal, timeout: 600_000 }));
  },
});

const YEAR = { type: "integer", minimum: 2000, maximum: 2100 };
const schemaOf = (properties) => ({ type: "object", properties, required: Object.keys(properties), additionalProperties: false });
const status = () => ({ active_profile: desk.activeLabel() });

// Name, what it does, its arguments, and the handler, which only runs when the gate admits the call. `key` is what `execute` calls it.
const TOOLS = [
  { name: "whoami", does: "tells whose files are on the table", input: {}, run: status },
  { name: "config_profile_status", key: "config.profile.status", does: "the same, as a command", input: {}, run: status },
  {
    name: "config_switch",
    key: "config.switch",
    does: "puts another taxpayer's files on the table",
    input: { label: { type: "string" } },
    run({ label }) {
      desk.switchTo(label);
      return status();
    },
  },
  {
    name: "return_read",
    key: "return_read",
    does: "reads the figures of a year",
    input: { year: YEAR },
    run: ({ year }) => desk.read(year),
  },
  { name: "return_prepare", key: "return_prepare", does: "drafts a return", input: { year: YEAR }, run: ({ year }) => desk.prepare(year) },
  {
    name: "filing_submit",
    key: "filing_submit",
    does: "files the drafted return",
    input: { year: YEAR },
    run: ({ year }) => desk.file(year),
  },
];
const EXECUTE = {
  name: "execute",
  does: "calls a command by its key",
  input: { command_key: { type: "string" }, arguments: { type: "object" } },
};

/** Runs a tool's handler: its failures are for the agent to read. */
function start(tool, args) {
  if (tool === undefined) throw new ToolError("there is no such command");
  const unfit = Object.entries(tool.input).find(
    ([name, { type }]) => type !== (Number.isInteger(args[name]) ? "integer" : typeof args[name]),
  );
  if (unfit !== undefined) throw new ToolError(`\`${unfit[0]}\` is missing or has the wrong type`);
  try {
    const structuredContent = tool.run(args);
    return { content: [{ type: "text", text: JSON.stringify(structuredContent) }], structuredContent };
  } catch (error) {
    throw new ToolError(error.message, { cause: error });
  }
}

function callDirect(name, args) {
  const tool = TOOLS.find((entry) => entry.name === name);
  return gate.run({ tool: name, arguments: args }, (frozen) => start(tool, frozen));
}

/** `execute` is decided twice: as the tool that it is, and as the command that it calls. The command's own answer goes back as it is. */
async function callByKey(args) {
  let inner;
  const outer = await gate.run({ tool: EXECUTE.name, arguments: args }, ({ command_key: key, arguments: given = {} }) => {
    const tool = TOOLS.find((entry) => entry.key === key);
    if (typeof key !== "string") throw new ToolError("`command_key` is missing or has the wrong type");
    inner = gate.run({ tool: tool?.name ?? key, arguments: given, path: "execute" }, (frozen) => start(tool, frozen));
    return inner;
  });
  return inner ?? outer;
}

server.setRequestHandler(ListToolsRequestSchema, () => ({
  tools: [...TOOLS, EXECUTE].map(({ name, does, input }) => ({ name, description: does, inputSchema: schemaOf(input) })),
}));
server.setRequestHandler(CallToolRequestSchema, ({ params: { name, arguments: args = {} } }) =>
  name === EXECUTE.name ? callByKey(args) : callDirect(name, args),
);
const end = async () => {
  await gate.close();
  await server.close();
};
process.stdin.once("end", () => void end());
await server.connect(new StdioServerTransport());
