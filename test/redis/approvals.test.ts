import { readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { listApprovals } from "../../src/govern/approval-list.ts";
import type { PendingRecord, VoteRecord } from "../../src/govern/approval-records.ts";
import { revokeKey } from "../../src/govern/keys.ts";
import { approvalKeys, approvalLink } from "../../src/redis/approval-link.ts";
import { createFrontUses } from "../../src/redis/approval-uses.ts";
import { stateKeys } from "../../src/redis/state-keys.ts";
import { clientOf, haveRedis, startRedis } from "../delegate/redis-kit.ts";
import type { RedisServer, TestClient } from "../delegate/redis-kit.ts";
import { idOf, removeStores, TERMS } from "../govern/approval-kit.ts";
import { openFronts, useOf } from "./approval-kit.ts";

const UNREACHABLE = expect.objectContaining({ code: "govern.store_unreachable" });
const UNREADABLE = expect.objectContaining({ code: "govern.store_unreadable" });

describe.skipIf(!haveRedis)("approvals that several fronts share", () => {
  let server: RedisServer;
  let client: TestClient;
  beforeAll(async () => {
    server = await startRedis();
    client = await clientOf(server.url());
  });
  afterAll(async () => {
    await client.close();
    await server.stop();
    removeStores();
  });

  /** Reads and writes a request's records behind the backs of those who use them. */
  function spoiler(prefix: string, id: string) {
    const key = `${prefix}:state:approval:request:${id}`;
    return {
      key,
      get: async (field: string) => JSON.parse(String(await client.hGet(key, field))),
      set: (field: string, record: unknown) => client.hSet(key, field, typeof record === "string" ? record : JSON.stringify(record)),
      remove: (field: string) => client.hDel(key, field),
    };
  }

  it("a request that one front filed is that of the same call on every front", async () => {
    const { front } = openFronts(server.url());
    const [a, b] = [front(), front()];
    const id = idOf(await a.ask());
    expect(idOf(await b.ask())).toBe(id);
    expect(idOf(await front().ask())).toBe(id);
    expect(idOf(await b.ask({ session_id: "mcp-1800000000000000001" }))).not.toBe(id);
    expect((await listApprovals(a.store, { now: new Date() })).map((view) => view.state)).toEqual(["pending", "pending"]);
  });

  it("is filed once by fronts that file at the same moment", async () => {
    const { front } = openFronts(server.url());
    const fronts = Array.from({ length: 4 }, () => front());
    const ids = await Promise.all(fronts.map(async (each) => idOf(await each.ask())));
    expect(new Set(ids).size).toBe(1);
    expect(await listApprovals(fronts[0]!.store, { now: new Date() })).toHaveLength(1);
  });

  it("lets the call run once, on whichever front it comes to, after an operator elsewhere approved it", async () => {
    const { front } = openFronts(server.url());
    const [a, b, operator] = [front(), front(), front()];
    const id = idOf(await a.ask());
    expect(await operator.decide(id)).toMatchObject({ state: "approved", votes: [{ owner: "anna" }] });
    const standings = [await b.ask(), await a.ask()];
    expect(standings).toMatchObject([
      { kind: "approved", approvers: ["anna"] },
      { kind: "approved", approvers: ["anna"] },
    ]);
    const [onB, onA] = standings.map(useOf);
    expect([await onB!.begin(), await onA!.begin()]).toEqual([undefined, "used"]);
    expect(await operator.stateOf(id)).toBe("executing");
    expect(await a.ask()).toEqual({ kind: "used", id });
    expect(await a.ask()).toEqual({ kind: "used", id });
    expect(await b.ask()).toEqual({ kind: "used", id });
    await onB!.end("done");
    expect(await operator.stateOf(id)).toBe("done");
    const next = idOf(await a.ask());
    expect(next).not.toBe(id);
    expect(idOf(await b.ask())).toBe(next);
  });

  it("is used exactly once by parallel retries over fronts", async () => {
    const { front } = openFronts(server.url());
    const fronts = [front(), front(), front()];
    for (let round = 0; round < 20; round += 1) {
      const call = { arguments: { command: `round ${round}` } };
      await fronts[0]!.decide(idOf(await fronts[round % 3]!.ask(call)));
      const uses = await Promise.all(fronts.map(async (each) => useOf(await each.ask(call))));
      const begun = await Promise.all([...uses, ...uses].map((use) => use.begin()));
      expect(begun.filter((ending) => ending === undefined)).toHaveLength(1);
      expect(begun.filter((ending) => ending === "used")).toHaveLength(5);
    }
  });

  it("is used once by calls of one front that take it at the same moment", async () => {
    const { front } = openFronts(server.url());
    const a = front();
    const id = idOf(await a.ask());
    const { record } = (await a.store.read(id))!;
    const use = { v: 1, id, digest: record.digest, state: "executing", at: new Date().toISOString() } as const;
    const uses = createFrontUses(approvalLink(approvalKeys(stateKeys(front().prefix)), front().send));
    const taken = await Promise.all([uses.take(use), uses.take(use), uses.take(use)]);
    expect(taken.filter(Boolean)).toHaveLength(1);
    expect(await uses.take(use)).toBe(false);
    uses.close();
  });

  it("counts votes of several humans on several machines, one a human, and takes a denial alone", async () => {
    const { front } = openFronts(server.url());
    const [a, one, two] = [front(), front(), front()];
    const terms = { ...TERMS, quorum: 2 };
    const id = idOf(await a.ask({}, terms));
    expect((await one.decide(id, "anna")).state).toBe("pending");
    expect((await two.decide(id, "anna")).state).toBe("pending");
    expect((await a.ask({}, terms)).kind).toBe("pending");
    expect((await two.decide(id, "otto")).votes).toHaveLength(2);
    expect(await a.ask({}, terms)).toMatchObject({ kind: "approved", approvers: ["anna", "otto"] });
    const other = idOf(await a.ask({ arguments: { command: "other" } }, terms));
    await one.decide(other, "otto", "deny");
    expect(await a.ask({ arguments: { command: "other" } }, terms)).toEqual({ kind: "denied", id: other });
    await expect(two.decide(other)).rejects.toThrow(expect.objectContaining({ code: "govern.already_decided" }));
  });

  it("of several humans at once exactly one decides", async () => {
    const { front } = openFronts(server.url());
    const [a, one, two] = [front(), front(), front()];
    for (let round = 0; round < 10; round += 1) {
      const id = idOf(await a.ask({ arguments: { command: `round ${round}` } }));
      const ends = await Promise.allSettled([one.decide(id, "anna"), two.decide(id, "otto", "deny")]);
      expect(ends.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    }
  });

  it("is void on the front where what would run changed, and stays what it is for a front elsewhere", async () => {
    const { front } = openFronts(server.url());
    const [a, b] = [front(), front()];
    const id = idOf(await a.ask({ profile: "dev" }));
    expect(idOf(await b.ask({ profile: "prod" }))).not.toBe(id);
    await b.decide(id);
    expect((await a.ask({ profile: "dev" })).kind).toBe("approved");
    expect(await a.ask({ profile: "prod" })).toEqual({ kind: "stale", id });
    expect(await b.stateOf(id)).toBe("stale");
    expect((await a.ask({ profile: "dev" })).kind).toBe("pending");
  });

  it("that one front made void is void on a front that has met it, which says so if a human had decided", async () => {
    const { front } = openFronts(server.url());
    const [a, b] = [front(), front()];
    for (const isDecided of [true, false]) {
      const call = { arguments: { command: String(isDecided) }, profile: "dev" };
      const id = idOf(await a.ask(call));
      expect(idOf(await b.ask(call))).toBe(id);
      if (isDecided) await b.decide(id);
      await a.ask({ ...call, profile: "prod" });
      const standing = await b.ask(call);
      if (isDecided) expect(standing).toEqual({ kind: "stale", id });
      else expect(idOf(standing)).not.toBe(id);
    }
  });

  it("is expired on every front, which each is told", async () => {
    let now = new Date();
    const { front } = openFronts(server.url());
    const [a, b] = [front({ now: () => now }), front({ now: () => now })];
    const id = idOf(await a.ask());
    await b.decide(id);
    const use = useOf(await b.ask());
    now = new Date(now.getTime() + 600_001);
    expect(await use.begin()).toBe("expired");
    expect(await a.ask()).toEqual({ kind: "expired", id });
    expect(idOf(await b.ask())).not.toBe(id);
  });

  it("a use whose front is gone is indeterminate, which is told, and then the call may be asked for anew", async () => {
    const { front, prefix } = openFronts(server.url());
    const [a, b] = [front(), front()];
    const id = idOf(await a.ask());
    await a.decide(id);
    expect(await useOf(await a.ask()).begin()).toBeUndefined();
    const [alive = ""] = await client.keys(`${prefix}:state:approval:front:*`);
    let left = Infinity;
    const isRenewed = async (): Promise<boolean> => {
      const before = left;
      left = await client.pTTL(alive);
      return left > before;
    };
    await expect.poll(isRenewed, { message: "it says that it lives while a call runs" }).toBe(true);
    a.close();
    // What it said last may still be on its way.
    await expect.poll(async () => (await client.del(alive), await b.stateOf(id))).toBe("indeterminate");
    expect(await b.ask()).toEqual({ kind: "indeterminate", id });
    expect(idOf(await b.ask())).not.toBe(id);
  });

  it("counts no key that this front does not know, and none that was revoked here", async () => {
    const { front } = openFronts(server.url());
    const [a, b, c] = [front(), front(), front({ places: { ...front().places, stateDir: join(front().stateDir, "empty") } })];
    const id = idOf(await a.ask());
    await b.decide(id);
    await expect(c.ask()).rejects.toThrow(/key `anna` is not on record/);
    revokeKey(a.stateDir, "anna", new Date());
    expect(await a.ask()).toEqual({ kind: "stale", id });
  });

  describe("what somebody else wrote into Redis", () => {
    it("a forged vote or decision counts for nothing", async () => {
      const { front, prefix } = openFronts(server.url());
      const [a, b] = [front(), front()];
      const id = idOf(await a.ask());
      const records = spoiler(prefix, id);
      const { digest, shown } = (await records.get("pending")) as PendingRecord;
      const at = new Date().toISOString();
      const said = { v: 1, id, digest, shown: shown.digest, decision: "approve", reason: "", owner: "anna", key: "anna", at };
      const forged = { ...said, signature: "AAAA" };
      await records.set(`vote:${"0".repeat(64)}`, forged);
      expect((await b.store.read(id))?.votes).toHaveLength(1);
      expect((await listApprovals(b.store, { now: new Date() }))[0]).toMatchObject({ state: "pending", votes: [] });
      await records.set("decided", { v: 1, id, digest, decision: "approve", votes: [forged], at });
      await expect(a.ask()).rejects.toThrow(/is not signed by those who may decide/);
      await expect(b.ask()).rejects.toThrow(UNREADABLE);
      await records.remove("decided");
      expect((await a.decide(id)).state).toBe("approved");
    });

    it("a vote on another request, by the requester, or altered after it was signed counts for nothing", async () => {
      const { front, prefix } = openFronts(server.url());
      const [a, b] = [front(), front()];
      const [id, other] = [
        idOf(await a.ask({ requester: { user: "otto", uid: 1 } })),
        idOf(await a.ask({ arguments: { command: "other" } })),
      ];
      await b.decide(other);
      const decided = await spoiler(prefix, other).get("decided");
      const records = spoiler(prefix, id);
      const { digest, shown } = (await records.get("pending")) as PendingRecord;
      const [vote] = decided.votes as VoteRecord[];
      const own = { requester: { user: "otto", uid: 1 } };
      for (const votes of [[vote], [{ ...vote, id }], [{ ...vote, id, digest }], [{ ...vote, id, digest, shown: shown.digest }]]) {
        await records.set("decided", { ...decided, id, digest, votes });
        await expect(a.ask(own)).rejects.toThrow(UNREADABLE);
      }
      await records.remove("decided");
      const record = await records.get("pending");
      await records.set("pending", { ...record, requester: { user: "nobody", uid: 2 } });
      expect((await b.decide(id, "otto")).state, "the operator sees another requester").toBe("approved");
      await expect(a.ask(own), "the front knows who asked").rejects.toThrow(/is not signed/);
      await expect(b.ask(own)).rejects.toThrow(/is not what a front files/);
    });

    it.each([
      ["fewer votes", { quorum: 1 }],
      ["other approvers", { approvers: ["anna"] }],
    ])("a request that needs %s than the policy says is none", async (_what, altered) => {
      const { front, prefix } = openFronts(server.url());
      const [a, b] = [front(), front()];
      const terms = { ...TERMS, quorum: 2, approvers: ["anna", "otto"] };
      const id = idOf(await a.ask({}, terms));
      const records = spoiler(prefix, id);
      await records.set("pending", { ...(await records.get("pending")), ...altered, quorum: 1 });
      expect((await b.decide(id)).state).toBe("approved");
      await expect(a.ask({}, terms)).rejects.toThrow(/is not signed/);
      expect(await b.ask({}, terms), "what was approved is not what this policy asks for").toEqual({ kind: "stale", id });
    });

    it("another text than the front would show is refused, and so is a record under another's name", async () => {
      const { front, prefix } = openFronts(server.url());
      const [a, b] = [front(), front()];
      const id = idOf(await a.ask());
      const other = idOf(await a.ask({ arguments: { command: "other" } }));
      const [records, others] = [spoiler(prefix, id), spoiler(prefix, other)];
      const record = await records.get("pending");
      await records.set("pending", { ...record, shown: { ...record.shown, text: "all is well" } });
      await expect(b.ask()).rejects.toThrow(UNREADABLE);
      await expect(b.decide(id)).rejects.toThrow(UNREADABLE);
      await records.set("pending", { ...record, shown: (await others.get("pending")).shown });
      await expect(b.ask()).rejects.toThrow(/is not what a front files/);
      await records.set("pending", { ...record, id: other });
      await expect(b.ask()).rejects.toThrow(UNREADABLE);
      await client.set(`${prefix}:state:approval:open:${record.digest}`, other);
      await expect(b.ask()).rejects.toThrow(/is not what a front files/);
      expect((await a.ask()).kind, "who filed it knows it").toBe("pending");
    });

    it.each(["{}", "", '{"v":1', JSON.stringify({ v: 1, secret: "EXAMPLE-SECRET" })])(
      "%j in place of a record shows nothing",
      async (text) => {
        const { front, prefix } = openFronts(server.url());
        const a = front();
        const id = idOf(await a.ask());
        const good = idOf(await a.ask({ arguments: { command: "good" } }));
        await spoiler(prefix, id).set("pending", text);
        const problems: Error[] = [];
        const views = await listApprovals(a.store, { now: new Date(), onProblem: (problem) => problems.push(problem) });
        expect(views.map((view) => view.id)).toEqual([good]);
        expect(problems.map(({ message }) => message)).toEqual([expect.not.stringContaining("SECRET")]);
        await expect(listApprovals(a.store, { now: new Date() })).rejects.toThrow(UNREADABLE);
      },
    );

    it("an old approval under new times is refused", async () => {
      let now = new Date();
      const { front, prefix } = openFronts(server.url());
      const a = front({ now: () => now });
      const id = idOf(await a.ask());
      await a.decide(id);
      const records = spoiler(prefix, id);
      const record = await records.get("pending");
      now = new Date(now.getTime() + 3_600_000);
      const times = { created_at: now.toISOString(), expires_at: new Date(now.getTime() + 600_000).toISOString() };
      const { monotonic: _monotonic, ...rest } = record;
      await records.set("pending", { ...rest, ...times });
      const b = front({ now: () => now });
      await expect(b.ask()).rejects.toThrow(/it was not made in the request's time/);
      await records.set("pending", { ...rest, expires_at: times.expires_at });
      expect(await front({ now: () => now }).ask(), "longer than the policy lets it live").toEqual({ kind: "stale", id });
    });

    it("a use that was taken away runs nothing again: not on this front, nor on another of its state directory", async () => {
      const { front, prefix } = openFronts(server.url());
      const a = front();
      const id = idOf(await a.ask());
      await a.decide(id);
      const use = useOf(await a.ask());
      expect(await use.begin()).toBeUndefined();
      await use.end("done");
      await spoiler(prefix, id).remove("used");
      const twin = front({ places: a.places });
      expect(await useOf(await twin.ask()).begin()).toBe("used");
      await spoiler(prefix, id).remove("used");
      expect(await use.begin()).toBe("used");
      expect(readdirSync(join(a.stateDir, "approvals", "shared-uses"))).toEqual([id]);
    });
  });

  it("a request that Redis has lost is filed anew, also where its name is still there", async () => {
    const { front, prefix } = openFronts(server.url());
    const [a, b] = [front(), front()];
    const id = idOf(await a.ask());
    await a.decide(id);
    const use = useOf(await a.ask());
    await client.del(`${prefix}:state:approval:request:${id}`);
    expect(await use.begin().catch((error: Error) => error.message)).toMatch(/is no longer in the shared store/);
    expect(await a.stateOf(id)).toBeUndefined();
    const next = idOf(await b.ask());
    expect(next).not.toBe(id);
    expect(idOf(await a.ask())).toBe(next);
  });

  it("every name has an end", async () => {
    const { front, prefix } = openFronts(server.url());
    const [a, b] = [front(), front()];
    const id = idOf(await a.ask());
    await b.decide(id);
    const use = useOf(await b.ask());
    await use.begin();
    await use.end("done");
    for (let asked = 0; asked < 2; asked += 1) await a.ask();
    const names = await client.keys(`${prefix}:*`);
    expect(names).toHaveLength(6);
    for (const name of names) expect(await client.ttl(name), name).toBeGreaterThan(0);
  });

  it("tells those who watch of requests, votes, decisions and uses", async () => {
    const { front } = openFronts(server.url());
    const [a, b, watcher] = [front(), front(), front()];
    let told = 0;
    const end = watcher.store.watch(() => (told += 1));
    const changed = async (act: () => Promise<unknown>): Promise<void> => {
      await setTimeout(700);
      const before = told;
      await act();
      await expect.poll(() => told).toBeGreaterThan(before);
    };
    const terms = { ...TERMS, quorum: 2 };
    let id = "";
    await changed(async () => (id = idOf(await a.ask({}, terms))));
    await changed(() => b.decide(id, "anna"));
    await changed(() => b.decide(id, "otto"));
    await changed(async () => useOf(await a.ask({}, terms)).begin());
    end();
  }, 60_000);

  describe("a store that is away", () => {
    async function away() {
      const own = await startRedis({ appendOnly: true });
      onTestFinished(() => own.stop());
      const { front } = openFronts(own.url());
      return { own, front };
    }

    it("refuses, loses nothing, and goes on when it is back", async () => {
      const { own, front } = await away();
      const [a, b] = [front(), front()];
      const id = idOf(await a.ask());
      await b.decide(id);
      const use = useOf(await a.ask());
      await own.kill();
      await expect(a.ask()).rejects.toThrow(UNREACHABLE);
      await expect(use.begin()).rejects.toThrow(UNREACHABLE);
      await expect(b.decide(id)).rejects.toThrow(UNREACHABLE);
      await expect(a.ask({ arguments: { command: "other" } })).rejects.toThrow(UNREACHABLE);
      await own.start();
      expect((await b.ask()).kind).toBe("approved");
      expect(await use.begin()).toBeUndefined();
      await own.kill();
      await use.end("done");
      expect(a.reports).toEqual([UNREACHABLE]);
      await own.start();
      await expect.poll(() => b.stateOf(id)).toBe("done");
    }, 60_000);

    it("that took a use without an answer: the same front runs the call later, or gives it back to the others", async () => {
      const { own, front } = await away();
      const [a, b] = [front(), front()];
      const id = idOf(await a.ask());
      await a.decide(id);
      const use = useOf(await a.ask());
      const real = await clientOf(own.url());
      onTestFinished(() => real.close());
      // The command arrives, its answer does not.
      await real.sendCommand(["CLIENT", "PAUSE", "60000", "WRITE"]);
      await expect(use.begin()).rejects.toThrow(UNREACHABLE);
      await real.sendCommand(["CLIENT", "UNPAUSE"]);
      await setTimeout(3_000);
      await expect.poll(() => b.stateOf(id)).toBe("approved");
      expect((await b.ask()).kind).toBe("approved");
      expect(await use.begin()).toBeUndefined();
      expect(await b.ask()).toEqual({ kind: "used", id });
    }, 60_000);
  });
});
