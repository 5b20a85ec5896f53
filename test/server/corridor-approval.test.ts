import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/call/json.ts";
import { decideApproval } from "../../src/govern/approval-decide.ts";
import { openApprovalDesk } from "../../src/govern/approval-desk.ts";
import { openApprovalFiles } from "../../src/govern/approval-files.ts";
import { listApprovals, readApproval } from "../../src/govern/approval-list.ts";
import type { ApprovalStore, Use } from "../../src/govern/approval-store.ts";
import { createKey, openKey } from "../../src/govern/keys.ts";
import { refuse } from "../../src/gate/refuse.ts";
import type { Decision } from "../../src/policy/decision.ts";
import { osUserName } from "../../src/session/os-user.ts";
import { approvalWaitMs } from "../../src/server/approval-wait.ts";
import type { Core, CorridorOptions } from "../../src/server/core.ts";
import type { CallAnswer } from "../../src/server/corridor-types.ts";
import { refusalResult } from "../../src/server/results.ts";
import { unconfined } from "../../src/shell/confinement.ts";
import { createRegistry } from "../../src/tools/registry.ts";
import { runShellTool } from "../../src/tools/run-shell.ts";
import { PassedOn } from "../../src/tools/tool-error.ts";
import { ALLOW, codeOf, counted, openCorridor, removeFolders, resultOf, temporaryFolder, wordOf } from "./support.ts";

afterAll(removeFolders);

const ASK: Decision = { ...ALLOW, approval: {} };

/** A corridor whose policy wants an approval until there is one, and a human who decides. */
function openApprovals(
  options: Partial<CorridorOptions> & { readonly decide?: (input: JsonObject) => Decision; readonly waitMs?: number } = {},
) {
  const { waitMs = 0, ...parts } = options;
  const folder = temporaryFolder();
  const places = { stateDir: join(folder, "state"), keysDir: join(folder, "keys") };
  const workdir = join(folder, "work");
  mkdirSync(workdir);
  createKey(places, { name: "anna", owner: "anna", now: new Date() });
  const reports: unknown[] = [];
  const files = openApprovalFiles(places.stateDir);
  const desk = openApprovalDesk({ store: files, now: () => new Date(), report: (problem) => reports.push(problem) });
  const confinement = unconfined({ limits: { processes: 64, fileMb: 10, memoryMb: 4_096 }, atOnce: 4, reason: "test" });
  const opened = openCorridor({
    decide: () => ASK,
    registry: createRegistry([runShellTool({ workdir, environment: {}, confinement })]),
    workdir,
    approvals: { desk, waitMs },
    ...parts,
  });
  const decide = async (id: string, decision: "approve" | "deny" = "approve", name = "anna"): Promise<void> => {
    const { digest: shown } = (await readApproval(files, id, { now: new Date() }))!.shown;
    await decideApproval({ store: files, id, decision, reason: "because", key: openKey(places, name), shown, now: new Date() });
  };
  const shell = (command: string, more: JsonObject = {}) =>
    opened.corridor.call({ tool: "run_shell", arguments: { command, ...more }, path: "direct" });
  return {
    ...opened,
    places,
    workdir,
    decide,
    shell,
    pending: () => listApprovals(files, { now: new Date() }),
    stateOf: async (id: string) => (await readApproval(files, id, { now: new Date() }))?.state,
    store: (path: string) => join(places.stateDir, "approvals", path),
  };
}

function idIn(answer: CallAnswer): string {
  const decision = resultOf(answer)._meta?.["regate/decision"] as { resolve?: string } | undefined;
  const resolve = decision?.resolve ?? "";
  expect(resolve).toMatch(/^approval:[0-9a-f]{32}$/);
  return resolve.slice("approval:".length);
}

describe("a call that needs an approval", () => {
  it("is approved neither by the session's user nor by whoever runs the server, when somebody else has logged in", async () => {
    const gate = openApprovals({ user: "anna" });
    const id = idIn(await gate.shell("true"));
    await expect(gate.decide(id)).rejects.toThrow(/the requester cannot decide their own request/);
    gate.corridor.identify("erika", []);
    const later = idIn(await gate.shell("true"));
    createKey(gate.places, { name: "host", owner: osUserName().toUpperCase(), now: new Date() });
    await expect(gate.decide(later, "approve", "host")).rejects.toThrow(/the requester cannot decide their own request/);
    expect((await gate.pending()).find((request) => request.id === later)).toMatchObject({
      requester: { user: "erika", os_user: osUserName() },
      shown: { text: expect.stringContaining(`asked by: erika (server of ${osUserName()}, uid `) },
    });
    await gate.decide(later);
    expect(codeOf(await gate.shell("true"))).toBe("ok");
  });

  it("is refused with the id of its request, and runs once after the approval (trial A04)", async () => {
    const gate = openApprovals();
    const { request, state } = counted("tool_a", { x: 1, y: 2 });
    const answers = [
      await gate.corridor.call(request),
      await gate.corridor.call({ ...request, arguments: { y: 2, x: 1 } }),
      await gate.corridor.call({ ...request, path: "execute" }),
    ];
    expect(answers.map(codeOf)).toEqual(["approval.pending", "approval.pending", "approval.pending"]);
    const ids = new Set(answers.map(idIn));
    expect(ids.size).toBe(1);
    const [id = ""] = ids;
    expect(resultOf(answers[0]!).content[0]).toEqual({
      type: "text",
      text: `approval: a human has to decide request \`${id}\`, nothing was executed: repeat the same call after it was approved`,
    });
    expect(new Set(answers.map((answer) => JSON.stringify(resultOf(answer).content))).size).toBe(1);
    expect(readdirSync(gate.store("pending"))).toEqual([`${id}.json`]);
    await gate.decide(id);
    expect(codeOf(await gate.corridor.call(request))).toBe("ok");
    expect(state.runs).toBe(1);
    expect(await gate.stateOf(id)).toBe("done");
    const next = await gate.corridor.call(request);
    expect(codeOf(next)).toBe("approval.pending");
    expect(idIn(next)).not.toBe(id);
    expect(state.runs).toBe(1);
  });

  it("is put to policy again with what the humans decided, and the log has the input of the last word", async () => {
    const gate = openApprovals({
      decide: (input) => (input["approval"] === undefined ? { ...ASK, approval: { quorum: 1 } } : ALLOW),
    });
    const { request } = counted("tool_a");
    await gate.decide(idIn(await gate.corridor.call(request)));
    expect(codeOf(await gate.corridor.call(request))).toBe("ok");
    expect(gate.engine.asked.map((input) => input["approval"])).toEqual([
      // Each call: before the desk was asked, and after it.
      undefined,
      undefined,
      undefined,
      undefined,
      { approved: true, approvers: ["anna"], at: expect.any(String) },
    ]);
    const logged = gate.events();
    expect(logged.map(wordOf)).toEqual(["approval.pending", "admitted", "ok"]);
    expect(logged[0]!["input"]).not.toHaveProperty("approval");
    expect(logged[1]!["input"]).toMatchObject({ approval: { approved: true, approvers: ["anna"] } });
    await gate.corridor.close();
  });

  it("is refused when policy denies it in spite of the approval; that stays usable", async () => {
    let isClosed = false;
    const gate = openApprovals({
      decide: (input) => (isClosed && input["approval"] !== undefined ? { ...ALLOW, allow: false, deny_reason: "closed" } : ASK),
    });
    const { request, state } = counted("tool_a");
    const id = idIn(await gate.corridor.call(request));
    await gate.decide(id);
    isClosed = true;
    const refused = await gate.corridor.call(request);
    expect(codeOf(refused)).toBe("policy.denied");
    expect(resultOf(refused).content[0]).toMatchObject({ text: "closed" });
    expect(await gate.stateOf(id)).toBe("approved");
    isClosed = false;
    expect(codeOf(await gate.corridor.call(request))).toBe("ok");
    expect(state.runs).toBe(1);
  });

  it("is void when policy changes the sandbox with the approval", async () => {
    const gate = openApprovals({ decide: (input) => (input["approval"] === undefined ? ASK : { ...ALLOW, sandbox: { network: true } }) });
    const { request, state } = counted("tool_a");
    await gate.decide(idIn(await gate.corridor.call(request)));
    expect(codeOf(await gate.corridor.call(request))).toBe("approval.stale");
    expect(state.runs).toBe(0);
  });

  it("is told of a denial as long as the request lives", async () => {
    const gate = openApprovals();
    const { request, state } = counted("tool_a");
    const id = idIn(await gate.corridor.call(request));
    await gate.decide(id, "deny");
    for (let round = 0; round < 2; round += 1) {
      const answer = await gate.corridor.call(request);
      expect(codeOf(answer)).toBe("approval.denied");
      expect(resultOf(answer)._meta?.["regate/decision"]).toMatchObject({ retryable: false });
    }
    expect(state.runs).toBe(0);
  });

  it("needs nothing for a dry run, nor when its arguments fit no schema", async () => {
    const gate = openApprovals();
    expect(codeOf(await gate.shell("rm -rf build", { dry_run: true }))).toBe("ok");
    expect(codeOf(await gate.shell("true", { nonsense: 1 }))).toBe("call.arguments_invalid");
    expect(await gate.pending()).toEqual([]);
  });

  it("asks after entitlement, dry run and stop, and before the human in the session", async () => {
    const entitled = openApprovals({ allowlist: new Set(["other"]) });
    expect(codeOf(await entitled.shell("rm -rf x"))).toBe("agent.not_entitled");
    const dry = openApprovals({ requireDryRun: true });
    expect(codeOf(await dry.shell("rm -rf x"))).toBe("agent.dry_run_required");
    expect([...(await entitled.pending()), ...(await dry.pending())]).toEqual([]);
    const both = openApprovals({ decide: () => ({ ...ASK, confirm: "elicit" }) });
    const { request } = counted("tool_a");
    await both.decide(idIn(await both.corridor.call(request)));
    expect(codeOf(await both.corridor.call(request))).toBe("confirm.no_channel");
    expect((await both.pending())[0]!.state, "not used by a call that did not run").toBe("approved");
  });

  it("files and runs nothing when one only looks", async () => {
    const gate = openApprovals();
    const { request } = counted("tool_a");
    expect(gate.corridor.decide(request)).toMatchObject({ admitted: false, refusal: { code: "approval.pending" } });
    expect(await gate.pending()).toEqual([]);
  });

  it("does not re-arm the identity gate before it runs", async () => {
    const gate = openApprovals({ decide: () => ({ ...ASK, effect: "rearm" }) });
    const { request } = counted("config_switch");
    const id = idIn(await gate.corridor.call(request));
    expect(gate.identity.epoch).toBe(0);
    await gate.decide(id);
    await gate.corridor.call(request);
    expect(gate.identity.epoch).toBe(1);
  });

  it("is refused where no approval can be asked for, and where the store cannot be written", async () => {
    const none = openApprovals({ approvals: undefined });
    expect(codeOf(await none.shell("true"))).toBe("approval.unavailable");
    const full = openApprovals();
    writeFileSync(join(full.places.stateDir, "approvals"), "");
    expect(codeOf(await full.shell("true"))).toBe("approval.unavailable");
    expect(String(full.reports[0])).toMatch(/cannot be written/);
  });

  it("fails once, and is asked for again", async () => {
    const gate = openApprovals();
    const id = idIn(await gate.shell("exit 3"));
    await gate.decide(id);
    expect(codeOf(await gate.shell("exit 3"))).toBe("ok");
    const failing = { ...counted("tool_a").request, handler: () => Promise.reject(new Error("broken")) };
    const other = idIn(await gate.corridor.call(failing));
    await gate.decide(other);
    expect(codeOf(await gate.corridor.call(failing))).toBe("call.failed");
    expect(await gate.stateOf(other)).toBe("failed");
  });

  it.each(["delegate.indeterminate", "upstream.outcome_unknown", "upstream.timeout"] as const)(
    "ends in an unknown way when its answer is `%s`",
    async (code) => {
      const gate = openApprovals();
      const answer = new PassedOn(refusalResult(refuse("handler", code), "d"));
      const lost = { ...counted("tool_a").request, handler: () => Promise.reject(answer) };
      const id = idIn(await gate.corridor.call(lost));
      await gate.decide(id);
      expect(codeOf(await gate.corridor.call(lost))).toBe(code);
      expect(await gate.stateOf(id)).toBe("indeterminate");
      expect(codeOf(await gate.corridor.call(lost))).toBe("approval.indeterminate");
    },
  );

  it("ends in an unknown way when it is cancelled, which is told once", async () => {
    const gate = openApprovals();
    const id = idIn(await gate.shell("sleep 20"));
    await gate.decide(id);
    const cancel = new AbortController();
    const running = gate.corridor.call({ tool: "run_shell", arguments: { command: "sleep 20" }, path: "direct", signal: cancel.signal });
    await expect.poll(() => gate.stateOf(id)).toBe("executing");
    cancel.abort();
    expect(codeOf(await running)).toBe("call.cancelled");
    await expect.poll(() => gate.stateOf(id)).toBe("indeterminate");
    expect(codeOf(await gate.shell("sleep 20"))).toBe("approval.indeterminate");
    expect(codeOf(await gate.shell("sleep 20"))).toBe("approval.pending");
  });
});

describe("what runs is what was approved", () => {
  it.each([
    ["bash deploy.sh", "deploy.sh"],
    [". ./deploy.sh && true", "deploy.sh"],
    ["sudo -n bash deploy.sh || bash ./deploy.sh", "deploy.sh"],
    ["./deploy.sh", "deploy.sh"],
    ["python3 tool.py --fast", "tool.py"],
    ["make deploy", "Makefile"],
    ["awk -f p.awk < data", "p.awk"],
  ])("after `%s` was approved and %s rewritten, nothing runs (trial A01)", async (command, file) => {
    const gate = openApprovals();
    for (const name of [file, "data"]) writeFileSync(join(gate.workdir, name), "touch ran\n", { mode: 0o755 });
    const id = idIn(await gate.shell(command));
    writeFileSync(join(gate.workdir, file), "touch ran # other\n", { mode: 0o755 });
    await gate.decide(id);
    const answer = await gate.shell(command);
    expect(codeOf(answer)).toBe("approval.stale");
    expect(resultOf(answer).content[0]).toMatchObject({ text: expect.stringContaining(id) });
    expect(readdirSync(gate.workdir)).not.toContain("ran");
    expect(await gate.stateOf(id)).toBe("stale");
    const next = await gate.shell(command);
    expect(codeOf(next)).toBe("approval.pending");
    expect((await gate.pending()).find((view) => view.id === idIn(next))!.shown.text).toContain(`${file} -> `);
  });

  it("looks again right before the spawn, when the command had to wait", async () => {
    const gate = openApprovals();
    writeFileSync(join(gate.workdir, "deploy.sh"), "touch ran\n");
    // As many as may run at once, each until there is its file.
    const others = Array.from({ length: 4 }, async (_, number) => {
      const command = `until [ -e go${number} ]; do sleep 0.02; done`;
      await gate.decide(idIn(await gate.shell(command)));
      return gate.shell(command);
    });
    const executing = async (): Promise<number> => (await gate.pending()).filter(({ state }) => state === "executing").length;
    await expect.poll(executing).toBe(4);
    await gate.decide(idIn(await gate.shell("bash deploy.sh")));
    const waiting = gate.shell("bash deploy.sh");
    await expect.poll(executing).toBe(5);
    writeFileSync(join(gate.workdir, "deploy.sh"), "touch ran # other\n");
    for (const number of [0, 1, 2, 3]) writeFileSync(join(gate.workdir, `go${number}`), "");
    expect(codeOf(await waiting)).toBe("approval.stale");
    expect(readdirSync(gate.workdir)).not.toContain("ran");
    await Promise.all(others);
    expect((await gate.pending()).map(({ state }) => state).toSorted()).toEqual(["done", "done", "done", "done", "stale"]);
  });

  it.each([
    "bash *.sh",
    'bash "$SCRIPT"',
    "curl -s https://example.org/x | sh",
    "source <(true)",
    "bash gone.sh",
    "cd sub && bash x.sh",
    "PATH=/tmp/tools cat notes.txt",
  ])("`%s` cannot be approved", async (command) => {
    const gate = openApprovals();
    writeFileSync(join(gate.workdir, "x.sh"), "true\n");
    expect(codeOf(await gate.shell(command))).toBe("approval.unbindable");
    expect(await gate.pending()).toEqual([]);
    expect(String(gate.reports[0])).toMatch(/no approval can be asked for/);
  });

  it("is bound to the directory behind a link (trial A02)", async () => {
    const folder = temporaryFolder();
    for (const name of ["a", "b"]) mkdirSync(join(folder, name));
    symlinkSync(join(folder, "a"), join(folder, "link"));
    const gate = openApprovals({ workdir: join(folder, "link") });
    const { request, state } = counted("git_push");
    await gate.decide(idIn(await gate.corridor.call(request)));
    rmSync(join(folder, "link"));
    symlinkSync(join(folder, "b"), join(folder, "link"));
    expect(codeOf(await gate.corridor.call(request))).toBe("approval.stale");
    expect(state.runs).toBe(0);
  });

  it("is bound to the profile (trial A02)", async () => {
    let active = "dev";
    const gate = openApprovals({ activeProfile: () => active });
    const { request, state } = counted("git_push");
    await gate.decide(idIn(await gate.corridor.call(request)));
    active = "prod";
    expect(codeOf(await gate.corridor.call(request))).toBe("approval.stale");
    expect(state.runs).toBe(0);
  });

  it("is the frozen copy of the arguments: a caller who changes its own object is refused (trial P06)", async () => {
    const gate = openApprovals();
    const args = { path: "a" };
    const { request, state } = counted("delete", args);
    const id = idIn(await gate.corridor.call(request));
    await gate.decide(id);
    const values = ["a", "b"];
    const shifty = {
      get path() {
        return values.shift() ?? "b";
      },
    } as JsonObject;
    expect(codeOf(await gate.corridor.call({ ...request, arguments: shifty }))).toBe("call.changed");
    expect(state.runs).toBe(0);
    expect(await gate.stateOf(id)).toBe("approved");
  });
});

describe("a server that waits for approvals", () => {
  const progress = () => undefined;

  it("lets the call run when it is approved; siblings have requests of their own, equal ones share one use (trial A05)", async () => {
    const gate = openApprovals({ waitMs: 60_000 });
    const a = counted("delete", { path: "a" });
    const b = counted("delete", { path: "b" });
    const answers = [a.request, b.request, a.request].map((request) => gate.corridor.call({ ...request, progress }));
    await expect.poll(async () => (await gate.pending()).length).toBe(2);
    const filed = await gate.pending();
    const [idA, idB] = ["a", "b"].map((path) => filed.find(({ shown }) => shown.text.includes(`  | ${path}\n`))!.id);
    await gate.decide(idA!);
    expect(new Set([codeOf(await answers[0]!), codeOf(await answers[2]!)])).toEqual(new Set(["approval.used", "ok"]));
    expect([a.state.runs, b.state.runs]).toEqual([1, 0]);
    expect(await gate.stateOf(idB!)).toBe("pending");
    await gate.decide(idB!, "deny");
    expect(codeOf(await answers[1]!)).toBe("approval.denied");
    expect(b.state.runs).toBe(0);
  });

  it("holds no other call up, and gives up on cancellation", async () => {
    const gate = openApprovals({ waitMs: 60_000, decide: ({ command }) => (command === "slow" ? ASK : ALLOW) });
    const cancel = new AbortController();
    const waiting = gate.corridor.call({ ...counted("slow").request, progress, signal: cancel.signal });
    expect(codeOf(await gate.corridor.call(counted("quick").request))).toBe("ok");
    cancel.abort();
    expect(codeOf(await waiting)).toBe("call.cancelled");
    expect(gate.events().map(wordOf)).toEqual(["approval.pending", "admitted", "ok", "cancelled"]);
    await gate.corridor.close();
  });

  it("answers with the id when the time is up, and the approval stays valid for the same call (trial M14)", async () => {
    const gate = openApprovals({ waitMs: 500 });
    const { request, state } = counted("tool_a");
    const late = await gate.corridor.call(request);
    expect(codeOf(late)).toBe("approval.pending");
    await gate.decide(idIn(late));
    expect(codeOf(await gate.corridor.call(request))).toBe("ok");
    expect(state.runs).toBe(1);
  });

  it("waits 45 s at most for a client that takes no progress, and not at all inside a script (trial M14)", async () => {
    const core = { options: { approvals: { waitMs: 600_000 } }, progress: new Map([["d", progress]]) } as unknown as Core;
    const request = counted("tool_a").request;
    expect(approvalWaitMs(core, request)).toBe(45_000);
    expect(approvalWaitMs(core, { ...request, progress })).toBe(600_000);
    expect(approvalWaitMs(core, { ...request, from: { decisionId: "d", scripted: false } })).toBe(600_000);
    expect(approvalWaitMs(core, { ...request, progress, from: { decisionId: "d", scripted: true } })).toBe(0);
  });

  it("tells who wants to know how long it waits", async () => {
    const gate = openApprovals({ waitMs: 60_000 });
    const told: { progress: number; total: number; message: string }[] = [];
    const { request } = counted("tool_a");
    const answer = gate.corridor.call({ ...request, progress: (state) => void told.push(state) });
    await expect.poll(() => told.length).toBeGreaterThan(0);
    const [view] = await gate.pending();
    expect(told[0]).toEqual({ progress: expect.any(Number), total: 60, message: expect.stringContaining(view!.id) });
    await gate.decide(view!.id);
    expect(codeOf(await answer)).toBe("ok");
  });

  it("does not wait inside a script", async () => {
    const gate = openApprovals({ waitMs: 60_000 });
    const from = { decisionId: "d", scripted: true };
    expect(codeOf(await gate.corridor.call({ ...counted("tool_a").request, path: "script", from }))).toBe("approval.pending");
    expect(await gate.pending()).toHaveLength(1);
  });

  it("ends the wait when the corridor closes", async () => {
    const gate = openApprovals({ waitMs: 60_000 });
    const waiting = gate.corridor.call({ ...counted("tool_a").request, progress });
    await gate.corridor.close();
    expect(codeOf(await waiting)).toBe("call.cancelled");
  });
});

it("a half-written decision is no approval", async () => {
  const gate = openApprovals();
  const { request, state } = counted("tool_a");
  const id = idIn(await gate.corridor.call(request));
  await gate.decide(id);
  const path = gate.store(`decided/${id}.json`);
  const whole = readFileSync(path, "utf8");
  writeFileSync(path, whole.slice(0, whole.length / 2));
  expect(codeOf(await gate.corridor.call(request))).toBe("approval.unavailable");
  renameSync(path, `${path}.gone`);
  expect(codeOf(await gate.corridor.call(request))).toBe("approval.pending");
  expect(state.runs).toBe(0);
});

describe("a store that takes its time", () => {
  /** The store of a state directory, whose steps take as long as those of a store elsewhere; `during` happens meanwhile. */
  function slowStore(stateDir: string, during: { of?: keyof ApprovalStore; act?: () => void }): ApprovalStore {
    const files = openApprovalFiles(stateDir);
    const slow = <Args extends unknown[], Result>(name: keyof ApprovalStore, step: (...args: Args) => Promise<Result>) => {
      return async (...args: Args): Promise<Result> => {
        await setTimeout(5);
        const result = await step(...args);
        if (during.of === name) during.act?.();
        await setTimeout(5);
        return result;
      };
    };
    return {
      ...files,
      find: slow("find", (call: string) => files.find(call)),
      outcome: slow("outcome", (id: string) => files.outcome(id)),
      take: slow("take", (use: Use) => files.take(use)),
    };
  }

  function openSlow(options: Partial<CorridorOptions> & { readonly decide?: (input: JsonObject) => Decision } = {}) {
    const during: { of?: keyof ApprovalStore; act?: () => void } = {};
    const folder = temporaryFolder();
    const store = slowStore(join(folder, "state"), during);
    const desk = openApprovalDesk({ store, now: () => new Date(), report: () => undefined });
    const gate = openApprovals({ approvals: { desk, waitMs: 0 }, ...options });
    const places = { stateDir: join(folder, "state"), keysDir: join(folder, "keys") };
    createKey(places, { name: "anna", owner: "anna", now: new Date() });
    const approve = async (id: string): Promise<void> => {
      const { digest: shown } = (await readApproval(store, id, { now: new Date() }))!.shown;
      await decideApproval({ store, id, decision: "approve", reason: "", key: openKey(places, "anna"), shown, now: new Date() });
    };
    return { ...gate, during, approve, stateOf: async (id: string) => (await readApproval(store, id, { now: new Date() }))!.state };
  }

  it("keeps calls in the order of their lines: each is judged, logged and re-armed before the next", async () => {
    const order: string[] = [];
    const gate = openSlow({
      decide: ({ command }) => (command === "asked" ? ASK : { ...ALLOW, effect: command === "switch" ? "rearm" : "none" }),
    });
    const call = (tool: string) => {
      const handler = async () => {
        order.push(tool);
        return { content: [] };
      };
      return gate.corridor.call({ tool, arguments: {}, path: "direct", handler });
    };
    await gate.approve(idIn(await call("asked")));
    order.length = 0;
    const answers = await Promise.all([call("plain"), call("asked"), call("switch"), call("asked"), call("plain")]);
    expect(answers.map(codeOf)).toEqual(["ok", "ok", "ok", "approval.pending", "ok"]);
    expect(order).toEqual(["plain", "asked", "switch", "plain"]);
    const judged = gate.events().filter((event) => event["input"] !== undefined);
    expect(judged.map((event) => (event["input"] as JsonObject)["command"])).toEqual([
      "asked",
      "plain",
      "asked",
      "switch",
      "asked",
      "plain",
    ]);
    await gate.corridor.close();
  });

  it("runs nothing when the profile changed while the use was taken", async () => {
    let active = "dev";
    const gate = openSlow({ activeProfile: () => active });
    const { request, state } = counted("tool_a");
    const id = idIn(await gate.corridor.call(request));
    await gate.approve(id);
    Object.assign(gate.during, { of: "take", act: () => (active = "prod") });
    expect(codeOf(await gate.corridor.call(request))).toBe("approval.stale");
    expect([state.runs, await gate.stateOf(id)]).toEqual([0, "stale"]);
  });

  it("uses no approval for a caller who changes its own object meanwhile", async () => {
    const gate = openSlow();
    const args = { path: "a" };
    const { request, state } = counted("delete", args);
    const id = idIn(await gate.corridor.call(request));
    await gate.approve(id);
    Object.assign(gate.during, { of: "outcome", act: () => (args.path = "b") });
    expect(codeOf(await gate.corridor.call(request))).toBe("call.changed");
    expect([state.runs, await gate.stateOf(id)]).toEqual([0, "approved"]);
  });
});
