import { randomBytes } from "node:crypto";
import { cpSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { Webhook as Verifier } from "standardwebhooks";
import { describe, expect, it, onTestFinished } from "vitest";
import { temporaryFolder } from "../audit/kit.ts";
import { openStores } from "../../src/admin/stores.ts";
import type { Approval } from "../../src/admin/ports.ts";
import { openApprovalFiles } from "../../src/govern/approval-files.ts";
import { keyOfToken } from "../../src/govern/keys.ts";
import { fileRequest } from "./approval-file.ts";
import { makeToken, startKit } from "./kit.ts";
import type { AdminKit } from "./kit.ts";

const SECRET = randomBytes(32);

/** What the target got: the body after its signature was verified by the reference implementation. */
interface Got {
  readonly id: string;
  readonly type: string;
  readonly data: Record<string, any>;
  readonly text: string;
}

interface Target {
  readonly url: string;
  readonly got: Got[];
  attempts: number;
  /** Status of each answer, by the path that was asked for. */
  status: (path: string) => number;
}

async function startTarget(): Promise<Target> {
  const target: Target = { url: "", got: [], attempts: 0, status: () => 204 };
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      target.attempts += 1;
      const text = Buffer.concat(parts).toString("utf8");
      const status = target.status(request.url ?? "");
      if (status < 300) {
        const { type, data } = new Verifier(SECRET.toString("base64")).verify(text, request.headers as Record<string, string>) as Got;
        target.got.push({ id: String(request.headers["webhook-id"]), type, data, text });
      }
      response.writeHead(status, status === 302 ? { location: "/elsewhere" } : {}).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return Object.assign(target, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook` });
}

const withHook = (target: Target, stateDir = temporaryFolder()): Promise<AdminKit> =>
  startKit({ webhook: { url: target.url, secret: SECRET, firstWaitMs: 20 }, publicUrl: "https://regate.example/page" }, stateDir);

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 10));
}

const typesOf = (target: Target): string[] => target.got.map(({ type }) => type);

describe("the webhook", () => {
  it("U02: tells of a new and a decided request, signed, with a link and without arguments", async () => {
    const target = await startTarget();
    const kit = await withHook(target);
    const { id, shown } = fileRequest(kit.stateDir, { text: "run_shell\n\n  curl EXAMPLE-ARGUMENT\n" });
    await until(() => target.got.length === 1);
    await kit.post(`/v1/approvals/${id}/approve`, { reason: "EXAMPLE-REASON", shown: shown.digest });
    await until(() => target.got.length === 2);
    expect(typesOf(target)).toEqual(["approval.created", "approval.decided"]);
    expect(target.got[0]?.data).toEqual({
      id,
      state: "pending",
      tool: "run_shell",
      rules: [{ code: "deploy.needs_approval", rule: "deploy" }],
      created_at: expect.any(String),
      expires_at: expect.any(String),
      link: `https://regate.example/page#/requests/${id}`,
    });
    expect(target.got[1]?.data["state"]).toBe("approved");
    expect(target.got.map(({ text }) => text).join("")).not.toMatch(new RegExp(`EXAMPLE|${kit.token}`));
  });

  it("tells of an expiry", async () => {
    const target = await startTarget();
    const kit = await withHook(target);
    // The first look at the store, which tells nothing of what is over, has been.
    await kit.ask("/v1/approvals");
    fileRequest(kit.stateDir, { expires_at: new Date(Date.now() + 400).toISOString() });
    await until(() => target.got.length === 2);
    expect(typesOf(target)).toEqual(["approval.created", "approval.expired"]);
  });

  it("a target that is down gets each message once when it is back, in order; meanwhile nothing is approved", async () => {
    const target = await startTarget();
    target.status = () => 503;
    const kit = await withHook(target);
    const { id, shown } = fileRequest(kit.stateDir);
    await until(() => target.attempts >= 3);
    expect((await kit.ask(`/v1/approvals/${id}`)).json).toMatchObject({ state: "pending", votes: [] });
    await kit.post(`/v1/approvals/${id}/deny`, { reason: "no", shown: shown.digest });
    target.status = () => 200;
    await until(() => target.got.length === 2);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(typesOf(target)).toEqual(["approval.created", "approval.decided"]);
    expect(kit.notes.filter((note) => note.includes("not delivered yet"))).not.toEqual([]);
  });

  it("a restart neither loses a message nor sends one under another id", async () => {
    const target = await startTarget();
    const stateDir = temporaryFolder();
    const first = await startKit({ webhook: { url: `${target.url}/first`, secret: SECRET, firstWaitMs: 20 } }, stateDir);
    const delivered = fileRequest(stateDir);
    await until(() => target.got.length === 1);
    // What the first server has sent when it is stopped may arrive later.
    target.status = (path) => (path.endsWith("/first") ? 500 : 200);
    const open = fileRequest(stateDir);
    await until(() => target.attempts >= 3);
    first.stop.abort();
    await first.server.ended;
    const duringPause = fileRequest(stateDir);
    const second = await startKit({ webhook: { url: target.url, secret: SECRET, firstWaitMs: 20 } }, stateDir, "bert");
    await until(() => target.got.length === 3);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(new Set(target.got.map(({ data }) => data["id"]))).toEqual(new Set([delivered.id, open.id, duringPause.id]));
    expect(target.got).toHaveLength(3);
    expect(new Set(target.got.map(({ id }) => id)).size).toBe(3);
    expect((await second.ask("/v1/approvals?state=pending")).json.total).toBe(3);
  });

  it("tells of what is decided while the server starts", async () => {
    const [target, stateDir, keysDir] = [await startTarget(), temporaryFolder(), temporaryFolder()];
    await withHook(target, stateDir);
    const again = temporaryFolder();
    cpSync(join(stateDir, "webhook"), join(again, "webhook"), { recursive: true });
    const token = makeToken({ stateDir: again, keysDir }, "bert");
    const { id, shown } = fileRequest(again);
    const stores = openStores({ approvals: openApprovalFiles(again), now: () => new Date(), report: () => undefined });
    let isFirst = true;
    const list = async (): Promise<readonly Approval[]> => {
      const found = await stores.approvals.list();
      if (isFirst)
        await stores.approvals.decide({ id, decision: "deny", reason: "no", key: keyOfToken(again, token), shown: shown.digest });
      isFirst = false;
      return found;
    };
    const ports = { ...stores, approvals: { ...stores.approvals, list } };
    await startKit({ webhook: { url: target.url, secret: SECRET, firstWaitMs: 20 }, ports }, again);
    await until(() => target.got.length === 2);
    expect(typesOf(target)).toEqual(["approval.created", "approval.decided"]);
  });

  it("tells no old stories when it is used for the first time", async () => {
    const target = await startTarget();
    const stateDir = temporaryFolder();
    fileRequest(stateDir, { created_at: new Date(Date.now() - 60_000).toISOString() });
    await withHook(target, stateDir);
    const fresh = fileRequest(stateDir);
    await until(() => target.got.length === 1);
    expect(target.got[0]?.data["id"]).toBe(fresh.id);
  });

  it("follows no redirect", async () => {
    const target = await startTarget();
    target.status = () => 302;
    const kit = await withHook(target);
    fileRequest(kit.stateDir);
    await until(() => target.attempts >= 3);
    expect(target.got).toEqual([]);
    expect(kit.notes.join("\n")).toContain("status 302");
  });
});
