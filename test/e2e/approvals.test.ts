import { once } from "node:events";
import { chmodSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { closeBuilds } from "../policy/support/build.ts";
import { idIn, openSession, pendingFiles, regateBeside } from "./approval-kit.ts";
import { temporaryFolder } from "./client.ts";
import { regate } from "./run.ts";

afterAll(closeBuilds);

describe("a call that a human outside the session approves", () => {
  it("is asked for once, shown whole, approved in a shell with a named key, and runs once [003-human-approves]", async () => {
    const { session, decide, state } = await openSession("--sandbox", "none");
    const call = { command: "echo ran >> done.txt; cat done.txt # ask \u202e" };
    const first = await session.call("run_shell", call);
    expect(first).toMatchObject({ isError: true, code: "approval.pending", structured: undefined });
    const id = idIn(first);
    expect(first.text).toContain(id);
    expect(idIn(await session.call("run_shell", call))).toBe(id);
    expect(pendingFiles(session.stateDir)).toEqual([`${id}.json`]);

    const listed = decide(["list"]);
    expect(listed.stdout).toMatch(new RegExp(`^ID +STATE +TOOL +REQUESTER +AGENT +VOTES +EXPIRES AT\\n${id} +pending +run_shell `));
    const shown = decide(["show", id]);
    expect(shown.stdout).toContain("  | echo ran >> done.txt; cat done.txt # ask \\u{202e}\n");
    expect(shown.stdout).toContain("policy: a second person has to look at this (demo.ask, rule demo)\n");
    expect(shown.stdout).not.toContain("\u202e");
    const approved = decide(["approve", id, "--key", "anna"]);
    expect([approved.status, approved.stderr]).toEqual([0, ""]);
    expect(approved.stdout, "the whole text comes before the decision").toBe(`${shown.stdout}request ${id} is approved\n`);
    expect(decide(["approve", id, "--key", "otto"])).toMatchObject({
      status: 1,
      lines: [`regate: request \`${id}\` no longer waits: it is approved`],
    });

    expect((await session.call("run_shell", call)).structured).toMatchObject({ exit_code: 0, stdout: "ran\n" });
    expect(state(id)).toBe("done");
    const next = await session.call("run_shell", call);
    expect([next.code, idIn(next) === id]).toEqual(["approval.pending", false]);
    const event = session.events().find(({ input }) => input?.approval !== undefined);
    expect(event?.["input"].approval).toMatchObject({ approved: true, approvers: ["anna@example.org"] });
    expect(decide(["list", "--all", "--json"]).stdout).toContain('"state": "done"');
  });

  it("is denied with a reason, and stays denied", async () => {
    const { session, decide } = await openSession();
    const id = idIn(await session.call("list_sessions"));
    expect(decide(["deny", id, "--key", "anna"])).toMatchObject({ status: 2, lines: [expect.stringContaining("`--reason` is missing")] });
    expect(decide(["deny", id, "--key", "anna", "--reason", "not on a Friday"]).stdout).toMatch(/\nrequest [0-9a-f]{32} is denied\n$/);
    expect(await session.call("list_sessions")).toMatchObject({ code: "approval.denied", isError: true });
    expect(decide(["show", id]).stdout).toMatch(/^denied by anna@example.org with key anna at .*: not on a Friday$/m);
  });

  it("is decided once when two decide at the same moment", async () => {
    const { session, decide, places } = await openSession();
    for (const args of [{}, { agent_id: "x" }, { session_id: "y" }]) {
      const id = idIn(await session.call("list_sessions", args));
      const ends = await Promise.all([
        regateBeside(["approvals", "approve", id, "--key", "anna", ...places]),
        regateBeside(["approvals", "deny", id, "--key", "otto", "--reason", "no", ...places]),
        regateBeside(["approvals", "deny", id, "--key", "anna", "--reason", "no", ...places]),
        regateBeside(["approvals", "approve", id, "--key", "otto", ...places]),
      ]);
      const won = ["approved", "denied", "denied", "approved"].filter((_state, at) => ends[at]?.code === 0);
      for (const { code, stderr } of ends)
        if (code !== 0)
          expect(stderr).toMatch(/^regate: request `[0-9a-f]{32}` (?:was decided meanwhile|no longer waits: it is (?:approved|denied))\n$/);
      const { state, votes } = JSON.parse(decide(["show", id, "--json"]).stdout) as { state: string; votes: unknown[] };
      // Two who approve at the same moment may both be counted: then it is one decision with the votes of both.
      expect(votes.length).toBeGreaterThan(0);
      expect(won).toEqual(votes.map(() => state));
      if (state === "denied") expect(votes).toHaveLength(1);
    }
  });

  it("is not approved by its requester, an unknown key or another text", async () => {
    const { session, decide, places, state } = await openSession();
    const id = idIn(await session.call("list_sessions"));
    regate(["keys", "create", "me", ...places]);
    expect(decide(["approve", id, "--key", "me"])).toMatchObject({
      status: 1,
      lines: ["regate: the requester cannot decide their own request"],
    });
    expect(decide(["approve", id, "--key", "nobody"]).lines[0]).toContain("no key is at");
    expect(decide(["approve", id, "--key", "anna", "--shown", "0".repeat(64)]).lines).toEqual([
      "regate: `--shown`: another text is on file, nothing was decided",
    ]);
    regate(["keys", "revoke", "anna", ...places]);
    expect(decide(["approve", id, "--key", "anna"]).lines).toEqual(["regate: key `anna` is revoked"]);
    expect(state(id)).toBe("pending");
  });

  it.each([
    [["show"], 2, "the id of the request is missing"],
    [["show", "../../keys/anna"], 2, "`../../keys/anna` is no id of a request"],
    [["approve", "0".repeat(32)], 2, "`--key` is missing"],
    [["show", "0".repeat(32)], 1, "no request has the id"],
    [["approve", "0".repeat(32), "--key", "anna", "--shown", "x"], 2, "`--shown`: `x` must be 64 lower-case hex digits"],
  ])("`approvals %j` is one line", (words, status, line) => {
    const run = regate(["approvals", ...words, "--state-dir", join(temporaryFolder(), "state")]);
    expect([run.status, run.stdout, run.lines.length]).toEqual([status, "", 1]);
    expect(run.stderr).toContain(line);
  });

  it("an unreadable request is one line, and the others are listed", async () => {
    const { session, decide } = await openSession();
    const bad = idIn(await session.call("list_sessions"));
    const good = idIn(await session.call("list_sessions", { agent_id: "x" }));
    chmodSync(join(session.stateDir, "approvals/pending", `${bad}.json`), 0o644);
    const listed = decide(["list"]);
    expect([listed.status, listed.lines.length]).toEqual([1, 1]);
    expect(listed.stderr).toContain("is open to other users");
    expect([listed.stdout.includes(good), listed.stdout.includes(bad)]).toEqual([true, false]);
  });
});

describe("`--approval-wait`", () => {
  it("waits with progress, lets other calls pass, and runs after the approval (trial M14)", async () => {
    const { session, decide } = await openSession("--approval-wait", "120");
    const told: string[] = [];
    const waiting = session.client.callTool({ name: "list_sessions" }, undefined, {
      onprogress: ({ message }) => told.push(message ?? ""),
    });
    await expect.poll(() => told.length).toBeGreaterThan(0);
    const [file = ""] = pendingFiles(session.stateDir);
    const id = file.slice(0, 32);
    expect(told[0]).toContain(id);
    expect(await session.call("audit_log", { limit: 1 })).toMatchObject({ isError: false });
    expect(decide(["approve", id, "--key", "anna"]).status).toBe(0);
    expect((await waiting).isError).not.toBe(true);
  });

  it("ends with the client's cancellation, and with the client", async () => {
    const { session, state } = await openSession("--approval-wait", "120");
    const cancel = new AbortController();
    const waiting = session.client.callTool({ name: "list_sessions" }, undefined, {
      signal: cancel.signal,
      onprogress: () => cancel.abort(),
    });
    await expect(waiting).rejects.toThrow(/abort/i);
    const [file = ""] = pendingFiles(session.stateDir);
    await expect.poll(() => session.events().at(-1)?.["custom"].regate.outcome?.status).toBe("cancelled");
    expect(state(file.slice(0, 32))).toBe("pending");
    const again = session.client.callTool({ name: "list_sessions" });
    again.catch(() => undefined);
    await expect.poll(() => session.events().length).toBe(3);
    // Long before the time for an approval is over.
    await session.client.close();
    await expect.poll(() => existsSync(`/proc/${session.pid}`)).toBe(false);
  });

  it.each(["-1", "3601", "1.5", "soon"])("%s is exit code 2", (value) => {
    const run = regate(["serve", `--approval-wait=${value}`, "--state-dir", join(temporaryFolder(), "state")]);
    expect(run).toMatchObject({
      status: 2,
      lines: [`regate: \`--approval-wait\`: \`${value}\` must be a whole number from 0 to 3600 (see \`regate serve --help\`)`],
    });
  });
});

it("regate approvals watch tells of a request, its decision and its use", async () => {
  const { session, decide, places } = await openSession();
  const { spawn } = await import("node:child_process");
  const { PROGRAM, cleanEnv } = await import("./run.ts");
  const watcher = spawn(process.execPath, [PROGRAM, "approvals", "watch", ...places], {
    env: cleanEnv(),
    stdio: ["ignore", "pipe", "pipe"],
  });
  const exited = once(watcher, "exit");
  let out = "";
  watcher.stdout.setEncoding("utf8").on("data", (chunk: string) => (out += chunk));
  try {
    const id = idIn(await session.call("list_sessions"));
    await expect.poll(() => out).toMatch(new RegExp(`^pending ${id} list_sessions for .*a second person has to look at this\\)$`, "m"));
    decide(["approve", id, "--key", "anna"]);
    await expect.poll(() => out).toContain(`approved ${id} `);
    await session.call("list_sessions");
    await expect.poll(() => out).toContain(`done ${id} `);
  } finally {
    watcher.kill("SIGTERM");
  }
  expect(await exited).toEqual([0, null]);
});

it("no request, list or log shows a secret of the call (trial E05)", async () => {
  const { session, decide } = await openSession();
  const id = idIn(
    await session.call("run_shell", { command: "curl -s -H 'Authorization: Bearer hunter2-EXAMPLE-SECRET' localhost # ask" }),
  );
  const file = readFileSync(join(session.stateDir, "approvals/pending", `${id}.json`), "utf8");
  for (const text of [file, decide(["list", "--json"]).stdout, decide(["show", id]).stdout, JSON.stringify(session.events())])
    expect(text).not.toContain("hunter2");
  expect(decide(["show", id]).stdout).toContain("taken out, and part of the digest:\n");
});

it("the approval of a script is void when the agent rewrites it in between (trial A01)", async () => {
  const { session, decide } = await openSession("--sandbox", "none");
  expect((await session.call("run_shell", { command: "echo 'echo good' > deploy.sh" })).structured).toMatchObject({ exit_code: 0 });
  const id = idIn(await session.call("run_shell", { command: "bash deploy.sh # ask" }));
  await session.call("run_shell", { command: "echo 'echo bad' > deploy.sh" });
  expect(decide(["approve", id, "--key", "anna"]).status).toBe(0);
  expect(await session.call("run_shell", { command: "bash deploy.sh # ask" })).toMatchObject({ code: "approval.stale", isError: true });
});
