// The hazard that the identity gate is for, played with a real client: Erik's files are on the table, the human means Erika's.
// Exit code 0 only if every step is what it must be.
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { REFUSALS } from "regate";

const SERVER = fileURLToPath(new URL("server.mjs", import.meta.url));
const YEAR = { year: 2025 };
const YES = { action: "accept", content: { confirm: true } };
const NO = { action: "decline" };

/** The question about a filing, word by word: whose data first, and no figure. */
const questionAbout = (label) =>
  [
    `Active profile: "${label}"`,
    "",
    "The agent asks to run `filing_submit`.",
    "It hands something over to others; that cannot be taken back.",
    "Nothing has run yet. Confirm only if this is what you want.",
  ].join("\n");

/**
 * What happens, in order: a command, what must come of it (`ok` or the code of a refusal), and what else must hold. `human` is the answer
 * to the question that the step must raise; a step without one must raise none. `only` names the path of a step that exists on one alone.
 */
const STEPS = [
  {
    command: "return_prepare",
    args: YEAR,
    must: "identity.unconfirmed",
    also: ({ papers }) => papers.length === 0,
    tells: "nobody has looked whose files these are",
  },
  {
    command: "whoami",
    only: "execute",
    must: "call.failed",
    says: "there is no such command",
    also: ({ papers }) => papers.length === 0,
    tells: "whoami is a tool and no command",
  },
  {
    command: "return_prepare",
    only: "execute",
    args: YEAR,
    must: "identity.unconfirmed",
    also: ({ papers }) => papers.length === 0,
    tells: "so nothing was read",
  },
  { command: "config.profile.status", must: "ok", also: ({ data }) => data.active_profile === "Erik", tells: "Erik's" },
  {
    command: "return_prepare",
    args: YEAR,
    must: "ok",
    also: ({ data }) => data.taxpayer === "Erik" && data.income === 41200,
    tells: "a draft for Erik",
  },
  {
    command: "config.switch",
    args: { label: "Erika" },
    must: "ok",
    also: ({ data }) => data.active_profile === "Erika",
    tells: "the human meant Erika",
  },
  { command: "return_read", args: YEAR, must: "ok", also: ({ data }) => data.income === 87500, tells: "reading needs no confirmation" },
  {
    command: "return_prepare",
    args: YEAR,
    must: "identity.unconfirmed",
    also: ({ papers }) => papers.length === 1,
    tells: "not before somebody looked again",
  },
  {
    command: "filing_submit",
    args: YEAR,
    must: "identity.unconfirmed",
    also: ({ papers }) => papers.length === 1,
    tells: "and nobody is asked about it",
  },
  { command: "config.profile.status", must: "ok", also: ({ data }) => data.active_profile === "Erika", tells: "Erika's" },
  {
    command: "return_prepare",
    args: YEAR,
    must: "ok",
    also: ({ data }) => data.taxpayer === "Erika" && data.income === 87500,
    tells: "a draft for Erika",
  },
  {
    command: "filing_submit",
    args: YEAR,
    human: NO,
    must: "confirm.declined",
    also: ({ papers }) => papers.length === 2,
    tells: "the human says no",
  },
  {
    command: "filing_submit",
    args: YEAR,
    human: YES,
    must: "ok",
    also: ({ papers }) => papers.includes("filings/Erika-2025.json"),
    tells: "the human says yes to Erika's",
  },
];

/** How a command is called on each path; `whoami` is a tool and no command, so on the direct path it is the read. */
const PATHS = {
  direct: ({ command, args = {} }) => ({
    name: command === "config.profile.status" ? "whoami" : command.replaceAll(".", "_"),
    arguments: args,
  }),
  execute: ({ command, args = {} }) => ({ name: "execute", arguments: { command_key: command, arguments: args } }),
};

async function openClient(folder) {
  const client = new Client({ name: "tax-desk-demo", version: "1.0.0" }, { capabilities: { elicitation: {} } });
  const human = { answer: undefined, asked: [] };
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    human.asked.push(params.message);
    return human.answer ?? { action: "cancel" };
  });
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [SERVER, folder], stderr: "inherit" }));
  return { client, human };
}

function papersIn(folder) {
  return ["drafts", "filings"].flatMap((kind) => readdirSync(join(folder, kind)).map((name) => `${kind}/${name}`));
}

async function play(step, { path, folder, client, human }) {
  human.answer = step.human;
  human.asked = [];
  const call = PATHS[path](step);
  const result = await client.callTool(call);
  const got = result._meta?.["regate/decision"]?.code ?? (result.isError ? "error" : "ok");
  const expected = step.human === undefined ? [] : [questionAbout("Erika")];
  const isAsked = JSON.stringify(human.asked) === JSON.stringify(expected);
  const isSaid = step.must === "ok" || result.content[0].text === (step.says ?? REFUSALS[step.must].text);
  const holds = step.also({ data: result.structuredContent ?? {}, papers: papersIn(folder) });
  const command = call.arguments.command_key ?? call.name;
  return {
    path,
    ...step,
    command,
    got,
    echo: human.asked[0]?.split("\n", 1)[0] ?? "",
    ok: got === step.must && isAsked && isSaid && holds,
  };
}

async function playOn(path) {
  const folder = mkdtempSync(join(tmpdir(), "tax-desk-"));
  const { client, human } = await openClient(folder);
  try {
    const rows = [];
    for (const step of STEPS.filter(({ only = path }) => only === path)) rows.push(await play(step, { path, folder, client, human }));
    const isErikFiled = existsSync(join(folder, "filings/Erik-2025.json"));
    return { rows, ok: !isErikFiled && rows.every((row) => row.ok) };
  } finally {
    await client.close();
    rmSync(folder, { recursive: true });
  }
}

const COLUMNS = [
  ["path", 8],
  ["command", 22],
  ["must", 21],
  ["got", 21],
  ["echo", 24],
];
const lineOf = (row) => [...COLUMNS.map(([name, width]) => String(row[name]).padEnd(width)), row.tells].join(" ");

process.stdout.write(
  `   ${lineOf({ path: "path", command: "command", must: "must be", got: "was", echo: "shown to the human", tells: "" })}\n`,
);
let failed = 0;
for (const path of Object.keys(PATHS)) {
  const { rows, ok } = await playOn(path);
  for (const row of rows) process.stdout.write(`${row.ok ? "ok" : "NO"} ${lineOf(row)}\n`);
  failed += rows.filter((row) => !row.ok).length + (ok || rows.some((row) => !row.ok) ? 0 : 1);
}
process.stdout.write(failed === 0 ? "every step is what it must be\n" : `${failed} steps are not what they must be\n`);
process.exitCode = failed === 0 ? 0 : 1;
