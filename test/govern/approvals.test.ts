import { chmodSync, chownSync, mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { join } from "node:path";
import { afterAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { decideApproval } from "../../src/govern/approval-decide.ts";
import { openApprovalFiles } from "../../src/govern/approval-files.ts";
import { listApprovals, readApproval } from "../../src/govern/approval-list.ts";
import { recordPath, recordText, votePath } from "../../src/govern/approval-records.ts";
import type { DecidedRecord } from "../../src/govern/approval-records.ts";
import { signVote } from "../../src/govern/approval-votes.ts";
import { makeKey, signingKey } from "../../src/govern/key-pair.ts";
import { revokeKey } from "../../src/govern/keys.ts";
import { createStoreFile } from "../../src/govern/store-file.ts";
import { factsOf, idOf, newStore, openStore, removeStores, TERMS } from "./approval-kit.ts";

afterAll(removeStores);

describe("one request", () => {
  it("the text that is shown is kept on the disk alone: a session may leave any number of requests open", async () => {
    const store = openStore();
    const long = factsOf({ arguments: { command: `echo ${"x".repeat(500_000)}` } });
    const standing = await store.desk.ask({ facts: long, terms: TERMS });
    expect(JSON.stringify(standing).length).toBeLessThan(10_000);
    expect((await store.view(idOf(standing))).shown.text.length).toBeGreaterThan(500_000);
    store.human("anna");
    await store.decide(idOf(standing), "anna");
    expect((await store.desk.ask({ facts: long, terms: TERMS })).kind).toBe("approved");
  });

  it("is filed once for the same call, in whatever order its keys stand (trial A04)", async () => {
    const { desk, stateDir } = openStore();
    const ids: string[] = [];
    for (const args of [
      { command: "x", timeout_ms: 5 },
      { timeout_ms: 5, command: "x" },
      { command: "x", timeout_ms: 5 },
    ])
      ids.push(idOf(await desk.ask({ facts: factsOf({ arguments: args }), terms: TERMS })));
    expect(new Set(ids).size).toBe(1);
    expect(readdirSync(join(stateDir, "approvals/pending"))).toHaveLength(1);
    expect(ids[0]).toMatch(/^[0-9a-f]{32}$/);
  });

  it("lets the call run once after an approval, and asks anew after that", async () => {
    const store = openStore();
    store.human("anna");
    const id = await store.file();
    expect((await store.view(id)).state).toBe("pending");
    expect((await store.decide(id, "anna")).state).toBe("approved");
    const standing = await store.desk.ask({ facts: factsOf(), terms: TERMS });
    expect(standing).toMatchObject({ kind: "approved", approvers: ["anna"] });
    if (standing.kind !== "approved") return;
    expect(await standing.use.begin()).toBeUndefined();
    expect((await store.view(id)).state).toBe("executing");
    expect(await standing.use.begin()).toBe("used");
    expect(await store.desk.ask({ facts: factsOf(), terms: TERMS })).toEqual({ kind: "used", id });
    await standing.use.end("done");
    expect((await store.view(id)).state).toBe("done");
    expect(idOf(await store.desk.ask({ facts: factsOf(), terms: TERMS }))).not.toBe(id);
  });

  it.each([
    ["another argument", { arguments: { command: "git push --force" } }],
    ["another session", { session_id: "mcp-1800000000000000001" }],
    ["another agent", { agent_id: "other" }],
  ])("of %s is another one", async (_what, parts) => {
    const store = openStore();
    store.human("anna");
    await store.decide(await store.file(), "anna");
    expect((await store.desk.ask({ facts: factsOf(parts), terms: TERMS })).kind).toBe("pending");
  });

  it.each([
    ["policy", { policy: "sha256:1" }],
    ["profile", { profile: "prod" }],
    ["variables", { variables: ["AWS_PROFILE"] }],
    ["the home directory", { home: [".aws (write)"] }],
    ["sandbox", { sandbox: { kind: "none", network: true, write: "workdir" } }],
    ["server", { server: "github" }],
    ["user", { requester: { user: "otto", uid: 4_242 } }],
  ])("is void when the %s is another one (trial A02)", async (_what, parts) => {
    const store = openStore();
    store.human("anna");
    const id = await store.file();
    await store.decide(id, "anna");
    expect(await store.desk.ask({ facts: factsOf(parts), terms: TERMS })).toEqual({ kind: "stale", id });
    expect((await store.view(id)).state).toBe("stale");
    // Back to what was approved: void is void.
    expect(idOf(await store.desk.ask({ facts: factsOf(), terms: TERMS }))).not.toBe(id);
  });

  it("is void when the policy asks for other approvers", async () => {
    const store = openStore();
    store.human("anna");
    const id = await store.file();
    await store.decide(id, "anna");
    expect(await store.desk.ask({ facts: factsOf(), terms: { ...TERMS, approvers: ["otto"] } })).toEqual({ kind: "stale", id });
  });

  it("that nobody decided gives way to a new one when its call changes", async () => {
    const store = openStore();
    store.human("anna");
    const id = await store.file({ profile: "a" });
    const other = await store.file({ profile: "b" });
    expect(other).not.toBe(id);
    expect((await store.view(id)).state).toBe("stale");
    await expect(store.decide(id, "anna")).rejects.toThrow(/no longer waits: it is stale/);
  });

  it("is bound to the bytes of what it runs, and to the folder itself (trials A01, A02)", async () => {
    const store = openStore();
    const { workdir } = store;
    store.human("anna");
    writeFileSync(join(workdir, "deploy.sh"), "echo good\n");
    const facts = factsOf({ workdir, files: [{ kind: "file", path: "deploy.sh" }] });
    const ask = () => store.desk.ask({ facts, terms: TERMS });
    const id = idOf(await ask());
    await store.decide(id, "anna");
    const standing = await ask();
    if (standing.kind !== "approved") throw new Error(standing.kind);
    expect(standing.use.isUnchanged()).toBe(true);
    writeFileSync(join(workdir, "deploy.sh"), "echo bad!\n");
    expect(standing.use.isUnchanged()).toBe(false);
    expect(await standing.use.begin()).toBe("stale");
    const again = idOf(await ask());
    await store.decide(again, "anna");
    renameSync(workdir, `${workdir}-old`);
    mkdirSync(workdir);
    writeFileSync(join(workdir, "deploy.sh"), "echo bad!\n");
    expect(await ask()).toEqual({ kind: "stale", id: again });
  });

  it("cannot be made for a file that is missing, too large to read or a folder", async () => {
    const { desk, workdir } = openStore();
    mkdirSync(join(workdir, "folder"));
    for (const path of ["gone.sh", "folder", "/dev/zero"]) {
      expect((await desk.ask({ facts: factsOf({ workdir, files: [{ kind: "file", path }] }), terms: TERMS })).kind, path).toBe(
        "unbindable",
      );
    }
  });

  it("is filed for nobody without terms of the policy", async () => {
    const { desk, files } = openStore();
    expect(await desk.ask({ facts: factsOf() })).toEqual({ kind: "needed" });
    expect(await listApprovals(files, { now: new Date() })).toEqual([]);
  });
});

describe("who decides", () => {
  it("is never the requester, by whatever name", async () => {
    const store = openStore();
    for (const [name, owner] of [
      ["k1", "erika"],
      ["k2", "ERIKA"],
      ["k3", "4242"],
      ["k4", "ｅｒｉｋａ"],
      ["k5", "04242"],
      ["k6", "uid 4242"],
      ["k7", "Service"],
    ] as const) {
      store.human(name, owner);
      const id = await store.file({ arguments: { command: name }, requester: { user: "erika", uid: 4_242, os_user: "service" } });
      for (const decision of ["approve", "deny"] as const)
        await expect(store.decide(id, name, { decision })).rejects.toThrow(/the requester cannot decide their own request/);
      expect((await store.view(id)).state).toBe("pending");
    }
  });

  it("is one of those whom the policy names", async () => {
    const store = openStore();
    store.human("anna");
    store.human("otto");
    const id = await store.file({}, { ...TERMS, approvers: ["otto"] });
    await expect(store.decide(id, "anna")).rejects.toThrow(/names other approvers/);
    expect((await store.decide(id, "otto")).state).toBe("approved");
  });

  it("is as many humans as the policy wants, whatever number of keys they have", async () => {
    const store = openStore();
    store.human("anna");
    store.human("anna-2", "Anna");
    store.human("otto");
    const id = await store.file({}, { ...TERMS, quorum: 2 });
    expect(await store.decide(id, "anna")).toMatchObject({ state: "pending", votes: [{ owner: "anna" }] });
    expect((await store.decide(id, "anna-2")).state).toBe("pending");
    expect((await store.desk.ask({ facts: factsOf(), terms: { ...TERMS, quorum: 2 } })).kind).toBe("pending");
    expect((await store.decide(id, "otto")).state).toBe("approved");
    expect(await store.desk.ask({ facts: factsOf(), terms: { ...TERMS, quorum: 2 } })).toMatchObject({ approvers: ["anna", "otto"] });
  });

  it("denies alone, for the time of the request", async () => {
    const store = openStore();
    store.human("anna");
    store.human("otto");
    const id = await store.file({}, { ...TERMS, quorum: 2 });
    await store.decide(id, "anna");
    expect(await store.decide(id, "otto", { decision: "deny" })).toMatchObject({
      state: "denied",
      votes: [{ owner: "otto", reason: "because" }],
    });
    expect(await store.desk.ask({ facts: factsOf(), terms: { ...TERMS, quorum: 2 } })).toEqual({ kind: "denied", id });
    expect(await store.desk.ask({ facts: factsOf(), terms: { ...TERMS, quorum: 2 } })).toEqual({ kind: "denied", id });
    await expect(store.decide(id, "anna")).rejects.toThrow(expect.objectContaining({ code: "govern.already_decided" }));
  });

  it("has seen what is on file", async () => {
    const store = openStore();
    store.human("anna");
    const id = await store.file();
    await expect(store.decide(id, "anna", { shown: "0".repeat(64) })).rejects.toThrow(/what was shown is not/);
    expect((await store.view(id)).state).toBe("pending");
  });

  it("has a key that is on record and not revoked, also when the call runs", async () => {
    const store = openStore();
    const key = store.human("anna");
    const id = await store.file();
    const stranger = { ...signingKey(makeKey("anna").token)!, owner: "anna" };
    const given = {
      store: store.files,
      id,
      decision: "approve",
      reason: "",
      shown: (await store.view(id)).shown.digest,
      now: new Date(),
    } as const;
    await expect(decideApproval({ ...given, key: stranger })).rejects.toThrow(/its signature is not that of key/);
    await store.decide(id, "anna");
    const standing = await store.desk.ask({ facts: factsOf(), terms: TERMS });
    revokeKey(store.stateDir, "anna", new Date());
    if (standing.kind !== "approved") throw new Error(standing.kind);
    expect(await standing.use.begin()).toBe("stale");
    const other = await store.file({ arguments: { command: "b" } });
    await expect(decideApproval({ ...given, id: other, key, shown: (await store.view(other)).shown.digest })).rejects.toThrow(/is revoked/);
  });
});

describe("time", () => {
  it("ends a request, and its end is told once", async () => {
    let now = new Date("2026-05-01T12:00:00Z");
    const store = openStore({ now: () => now });
    store.human("anna");
    const id = await store.file();
    now = new Date("2026-05-01T12:10:00Z");
    expect((await store.view(id)).state).toBe("expired");
    await expect(store.decide(id, "anna")).rejects.toThrow(/it is expired/);
    expect(await store.desk.ask({ facts: factsOf(), terms: TERMS })).toEqual({ kind: "expired", id });
    expect(idOf(await store.desk.ask({ facts: factsOf(), terms: TERMS }))).not.toBe(id);
  });

  it("ends an approval that was not used", async () => {
    let now = new Date("2026-05-01T12:00:00Z");
    const store = openStore({ now: () => now });
    store.human("anna");
    const id = await store.file();
    await store.decide(id, "anna");
    const standing = await store.desk.ask({ facts: factsOf(), terms: TERMS });
    now = new Date("2026-05-01T12:10:01Z");
    if (standing.kind !== "approved") throw new Error(standing.kind);
    expect(await standing.use.begin()).toBe("expired");
    expect((await store.view(id)).state).toBe("expired");
  });

  it("is not extended by a clock that is set back", async () => {
    let shift = 0;
    const store = openStore({ now: () => new Date(Date.now() + shift) });
    store.human("anna");
    const terms = { ...TERMS, ttlSeconds: 60 };
    const id = await store.file({}, terms);
    shift = -3_600_000;
    expect((await store.view(id)).state, "before its own beginning").toBe("expired");
    shift = -2_000;
    expect((await store.view(id)).state).toBe("pending");
    const running = process.hrtime.bigint.bind(process.hrtime);
    const further = vi.spyOn(process.hrtime, "bigint").mockImplementation(() => running() + 61_000_000_000n);
    onTestFinished(() => further.mockRestore());
    expect((await store.view(id)).state, "by the monotonic clock").toBe("expired");
    expect(await store.desk.ask({ facts: factsOf(), terms })).toEqual({ kind: "expired", id });
  });
});

describe("a store that others have touched", () => {
  const planted = { v: 1, id: "0".repeat(32), secret: "EXAMPLE-SECRET" };

  it.each([
    ["half a file", (path: string) => writeFileSync(path, readFileSync(path, "utf8").slice(0, 200), { mode: 0o600 })],
    [
      "unknown keys",
      (path: string) => writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, "utf8")), secret: "EXAMPLE-SECRET" })),
    ],
    ["another form", (path: string) => writeFileSync(path, JSON.stringify(planted))],
    ["another text than its digest", (path: string) => writeFileSync(path, readFileSync(path, "utf8").replace("git push", "git pull"))],
    ["an open mode", (path: string) => chmodSync(path, 0o640)],
    // Only root can give a file away; for others the test harms the file in another way.
    ["a foreign owner", (path: string) => (process.getuid?.() === 0 ? chownSync(path, 4_242, 4_242) : chmodSync(path, 0o606))],
    [
      "a link",
      (path: string) => {
        renameSync(path, `${path}.real`);
        symlinkSync(`${path}.real`, path);
      },
    ],
    [
      "a folder",
      (path: string) => {
        renameSync(path, `${path}.real`);
        mkdirSync(path);
      },
    ],
  ])("with %s in place of a request is an error that shows none of its values", async (_what, harm) => {
    const store = openStore();
    store.human("anna");
    const id = await store.file();
    const good = await store.file({ arguments: { command: "other" } });
    const shown = (await store.view(id)).shown.digest;
    harm(recordPath(store.stateDir, "pending", id));
    const failing = (): Promise<unknown> => readApproval(store.files, id, { now: new Date() });
    await expect(failing()).rejects.toThrow(expect.objectContaining({ code: "govern.store_unreadable" }));
    await expect(failing()).rejects.not.toThrow(/EXAMPLE-SECRET|git/);
    await expect(store.decide(id, "anna", { shown })).rejects.toThrow(expect.objectContaining({ code: "govern.store_unreadable" }));
    const problems: Error[] = [];
    expect(
      (await listApprovals(store.files, { now: new Date(), onProblem: (problem) => problems.push(problem) })).map((view) => view.id),
    ).toEqual([good]);
    expect(problems).toHaveLength(1);
    await expect(listApprovals(store.files, { now: new Date() })).rejects.toThrow(
      /is not what this program wrote|cannot be read|is a symbolic link|is open to|not a regular|another user/,
    );
  });

  it("never counts a vote or a decision that nobody signed", async () => {
    const store = openStore();
    store.human("anna");
    const id = await store.file();
    const view = await store.view(id);
    const forged = {
      v: 1,
      id,
      digest: view.digest,
      shown: view.shown.digest,
      decision: "approve",
      reason: "",
      owner: "anna",
      key: "anna",
      at: new Date().toISOString(),
      signature: "AAAA",
    } as const;
    createStoreFile(votePath(store.stateDir, id, "anna"), recordText(forged));
    expect(await store.view(id)).toMatchObject({ state: "pending", votes: [] });
    createStoreFile(
      recordPath(store.stateDir, "decided", id),
      recordText({ v: 1, id, digest: view.digest, decision: "approve", votes: [forged], at: forged.at }),
    );
    await expect(store.view(id)).rejects.toThrow(/is not signed by those who may decide/);
    await expect(store.desk.ask({ facts: factsOf(), terms: TERMS })).rejects.toThrow(/is not signed by those who may decide/);
  });

  it("never counts a vote of another request, of another text, or of the requester", async () => {
    const store = openStore();
    const anna = store.human("anna");
    const erika = store.human("erika");
    const id = await store.file();
    const other = await store.file({ arguments: { command: "other" } });
    const at = new Date().toISOString();
    const said = { decision: "approve", reason: "", at } as const;
    const votes = [
      signVote(await store.view(other), said, anna),
      signVote({ ...(await store.view(id)), shown: { digest: "0".repeat(64) } }, said, anna),
      signVote(await store.view(id), said, erika),
      signVote(await store.view(id), said, { ...anna, owner: "otto" }),
    ];
    mkdirSync(join(store.stateDir, "approvals/decided"), { mode: 0o700 });
    for (const vote of votes) {
      const decided = {
        v: 1 as const,
        id,
        digest: (await store.view(id)).digest,
        decision: "approve" as const,
        votes: [{ ...vote, id }],
        at,
      } satisfies DecidedRecord;
      const path = recordPath(store.stateDir, "decided", id);
      writeFileSync(path, recordText(decided), { mode: 0o600 });
      await expect(store.desk.ask({ facts: factsOf(), terms: TERMS })).rejects.toThrow(/is not signed/);
      renameSync(path, `${path}.seen`);
    }
    expect((await store.desk.ask({ facts: factsOf(), terms: TERMS })).kind).toBe("pending");
  });

  it("lets a human vote whose place was taken by a planted file", async () => {
    const store = openStore();
    store.human("anna");
    const id = await store.file();
    createStoreFile(votePath(store.stateDir, id, "anna"), "{}");
    expect((await store.decide(id, "anna")).state).toBe("approved");
  });

  it("cannot change what the running server knows of its request", async () => {
    const store = openStore();
    store.human("anna");
    const id = await store.file({}, { ...TERMS, approvers: ["otto"] });
    const path = recordPath(store.stateDir, "pending", id);
    const record = JSON.parse(readFileSync(path, "utf8")) as object;
    writeFileSync(path, JSON.stringify({ ...record, approvers: ["anna"], quorum: 1 }));
    expect((await store.decide(id, "anna")).state).toBe("approved");
    await expect(store.desk.ask({ facts: factsOf(), terms: { ...TERMS, approvers: ["otto"] } })).rejects.toThrow(/is not signed/);
  });

  it.each(["../keys/anna", "..", "a/b", "", "x".repeat(32), "A".repeat(32), `${"0".repeat(31)}\n`])(
    "takes no path for an id: %j",
    async (id) => {
      const store = openStore();
      const anna = store.human("anna");
      expect(await readApproval(store.files, id, { now: new Date() })).toBeUndefined();
      const given = {
        store: store.files,
        id,
        decision: "approve",
        reason: "",
        key: anna,
        shown: "0".repeat(64),
        now: new Date(),
      } as const;
      await expect(decideApproval(given)).rejects.toThrow(expect.objectContaining({ code: "govern.not_found" }));
      expect(() => recordPath(store.stateDir, "pending", id)).toThrow(/no id/);
    },
  );
});

it("stays usable with 10,000 requests", async () => {
  const store = openStore();
  const last = await store.file();
  store.human("anna");
  const folder = join(store.stateDir, "approvals/pending");
  const text = readFileSync(join(folder, `${last}.json`), "utf8");
  for (let number = 1; number < 10_000; number += 1) {
    const id = number.toString(16).padStart(32, "0");
    writeFileSync(join(folder, `${id}.json`), text.replace(last, id), { mode: 0o600 });
  }
  expect(await listApprovals(store.files, { now: new Date() })).toHaveLength(10_000);
  expect((await store.decide(last, "anna")).state).toBe("approved");
  expect((await store.desk.ask({ facts: factsOf(), terms: TERMS })).kind).toBe("approved");
}, 180_000);

it("tells watchers of requests, votes, decisions and uses", async () => {
  const store = openStore();
  store.human("anna");
  store.human("otto");
  let told = 0;
  const end = store.files.watch(() => (told += 1));
  const changed = async (act: () => Promise<unknown>): Promise<void> => {
    const before = told;
    await act();
    await expect.poll(() => told).toBeGreaterThan(before);
    await setTimeout(100);
  };
  let id = "";
  const terms = { ...TERMS, quorum: 2 };
  await changed(async () => (id = await store.file({}, terms)));
  await changed(() => store.decide(id, "anna"));
  await changed(() => store.decide(id, "otto"));
  await changed(async () => {
    const standing = await store.desk.ask({ facts: factsOf(), terms });
    if (standing.kind === "approved") await standing.use.begin();
  });
  end();
  const before = told;
  await store.file({ arguments: { command: "other" } });
  await setTimeout(200);
  expect(told).toBe(before);
});

it("makes a store where there is none yet", async () => {
  const files = openApprovalFiles(newStore().stateDir);
  expect(await listApprovals(files, { now: new Date() })).toEqual([]);
  files.watch(() => undefined)();
});
