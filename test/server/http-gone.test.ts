import { request as ask, type IncomingMessage } from "node:http";
import { describe, expect, it, onTestFinished } from "vitest";
import { openHttpFront, type HttpFrontOptions } from "../../src/server/http-front.ts";
import type { ClientPeer } from "../../src/server/http-port.ts";
import { ENVELOPE } from "../e2e/http-kit.ts";

async function front(options: Pick<HttpFrontOptions, "openPeer" | "authenticate">): Promise<string> {
  const stop = new AbortController();
  const opened = await openHttpFront({ host: "127.0.0.1", port: 0, stop: stop.signal, note: () => undefined, ...options });
  onTestFinished(async () => {
    stop.abort();
    await opened.ended;
  });
  return opened.url;
}

const peer = (take: ClientPeer["take"]): ClientPeer => ({
  take,
  abort: () => undefined,
  idle: () => Promise.resolve(),
  close: () => Promise.resolve(),
});

describe("[gateway:http] a client that is gone", () => {
  it("before its stateless request reaches what serves it: the request is not taken", async () => {
    const taken: unknown[] = [];
    let [opening, go] = [(): void => undefined, (): void => undefined];
    const [isOpening, isFree] = [new Promise<void>((resolve) => (opening = resolve)), new Promise<void>((resolve) => (go = resolve))];
    const url = await front({
      async openPeer() {
        opening();
        await isFree;
        return peer((line) => (taken.push(line), Promise.resolve({ json: '{"jsonrpc":"2.0","id":1,"result":{}}' })));
      },
    });
    const headers = {
      "content-type": "application/json",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": "x",
    };
    const send = (id: number): Promise<IncomingMessage | undefined> =>
      new Promise((resolve) => {
        const one = ask(url, { method: "POST", headers, agent: false })
          .once("response", resolve)
          .once("error", () => resolve(undefined));
        one.end(JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "x", _meta: ENVELOPE } }));
        if (id === 1) void isOpening.then(() => one.destroy());
      });
    expect(await send(1)).toBeUndefined();
    await new Promise((resolve) => setTimeout(resolve, 100));
    go();
    const reply = await send(2);
    reply?.resume();
    expect(taken).toMatchObject([{ id: { json: "2" } }]);
  });
});
