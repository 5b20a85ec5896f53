import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { closeBuilds } from "../policy/support/build.ts";
import { haveSystemPart } from "../system-part.ts";
import { idIn, openSession } from "./approval-kit.ts";
import { PROGRAM } from "./run.ts";

afterAll(closeBuilds);

const NODE = process.execPath;
const DIST = join(process.cwd(), "dist/govern");
const CALL = { command: "echo ran >> done.txt # ask" };

type Open = Awaited<ReturnType<typeof openSession>>;

/** What an agent may try against a request, as commands of its own. */
function attempts({ places, keysDir, session }: Open, id: string): readonly string[] {
  const cli = `${NODE} ${PROGRAM} approvals approve ${id} --key anna ${places.join(" ")}`;
  const module = `
    const { openKey } = await import("${DIST}/keys.js");
    const { decideApproval } = await import("${DIST}/approval-decide.js");
    const { readApproval } = await import("${DIST}/approval-list.js");
    const places = { stateDir: "${session.stateDir}", keysDir: "${keysDir}" };
    const { shown } = readApproval(places.stateDir, "${id}", { now: new Date() });
    decideApproval({ ...places, id: "${id}", decision: "approve", reason: "", key: openKey(places, "anna"), shown: shown.digest, now: new Date() });`;
  const store = join(session.stateDir, "approvals");
  const forged = JSON.stringify({ v: 1, id, digest: "0".repeat(64), decision: "approve", votes: [], at: new Date().toISOString() });
  return [
    cli,
    `env -u REGATE_AGENT_CHILD ${cli}`,
    `env -i ${cli}`,
    `(${cli})`,
    `${NODE} --input-type=module -e '${module}'`,
    `env -i ${NODE} --input-type=module -e '${module}'`,
    // A copy of the state directory has no locks that could tell who is above.
    `cp -r ${session.stateDir} copy && rm -rf copy/locks; env -i ${cli.replace(session.stateDir, "copy")}; umask 077; mkdir -p ${store}/decided; cp copy/approvals/decided/* ${store}/decided/; rm -rf copy`,
    `mkdir -p ${store}/votes/${id} && echo '{}' > ${store}/votes/${id}/anna.json`,
    `umask 077; mkdir -p ${store}/approved ${store}/decided; touch ${store}/approved/${id}; echo '${forged}' > ${store}/decided/.${id}`,
  ];
}

async function tryAll(open: Open, id: string): Promise<void> {
  for (const command of attempts(open, id)) {
    await open.session.call("run_shell", { command });
    const code = `result = tool("run_shell", command = ${JSON.stringify(command)})`;
    const scripted = await open.session.call("eval_starlark", { code });
    expect([command, scripted.code]).not.toEqual([command, "call.arguments_invalid"]);
    expect([command, open.state(id)]).toEqual([command, "pending"]);
  }
  expect(await open.session.call("run_shell", CALL)).toMatchObject({ code: "approval.pending", isError: true });
}

describe("an agent decides nothing, however it tries [003-four-eyes] [003-decisions-forbidden]", () => {
  it("without a sandbox: by our program, by our modules, by files of its own", async () => {
    const open = await openSession("--sandbox", "none");
    const id = idIn(await open.session.call("run_shell", CALL));
    await tryAll(open, id);
    const tried = await open.session.call("run_shell", { command: attempts(open, id)[1] });
    expect(tried.structured).toMatchObject({
      exit_code: 1,
      stderr: "regate: an agent's process and what it starts decide nothing: a human does it in a shell of their own\n",
    });
    expect(open.decide(["approve", id, "--key", "anna"]).status, "a human still can").toBe(0);
    expect((await open.session.call("run_shell", CALL)).isError).toBe(false);
    expect(readFileSync(open.session.events()[0]?.["input"].workdir + "/done.txt", "utf8")).toBe("ran\n");
  });

  it("a decision that nobody signed lets nothing run, and says nothing of what it holds", async () => {
    const open = await openSession("--sandbox", "none");
    const id = idIn(await open.session.call("run_shell", CALL));
    const { digest, shown } = JSON.parse(open.decide(["show", id, "--json"]).stdout) as { digest: string; shown: { digest: string } };
    const at = new Date().toISOString();
    const vote = {
      v: 1,
      id,
      digest,
      shown: shown.digest,
      decision: "approve",
      reason: "EXAMPLE-SECRET",
      owner: "anna@example.org",
      key: "anna",
      at,
      signature: "A".repeat(86),
    };
    const decided = JSON.stringify({ v: 1, id, digest, decision: "approve", votes: [vote], at });
    const folder = join(open.session.stateDir, "approvals/decided");
    const command = `umask 077; mkdir ${folder}; echo '${decided}' > ${folder}/${id}.json`;
    expect((await open.session.call("run_shell", { command })).structured).toMatchObject({ exit_code: 0 });
    expect(await open.session.call("run_shell", CALL)).toMatchObject({ code: "approval.unavailable", isError: true });
    const read = open.decide(["show", id]);
    expect([read.status, read.stdout, read.lines]).toEqual([
      1,
      "",
      [`regate: the decision of \`${id}\` is not signed by those who may decide (its signature is not that of key \`anna\`)`],
    ]);
    expect(open.session.stderr()).not.toContain("EXAMPLE-SECRET");
  });

  it.runIf(haveSystemPart({ program: "bwrap", package: "bubblewrap" }))("in the sandbox: it sees neither requests nor keys", async () => {
    const open = await openSession("--require-sandbox");
    const id = idIn(await open.session.call("run_shell", CALL));
    await tryAll(open, id);
    const look = await open.session.call("run_shell", {
      command: `ls ${open.session.stateDir} ${open.keysDir}; cat ${open.keysDir}/anna.key`,
    });
    expect(look.text).not.toContain("rgk_");
    expect(look.text).not.toContain("approvals");
  });

  it("there is no tool that decides", async () => {
    const { session } = await openSession();
    const { tools } = await session.client.listTools();
    expect(tools.map(({ name }) => name).filter((name) => /approve|deny|decide|grant|vote/.test(name))).toEqual([]);
  });
});
