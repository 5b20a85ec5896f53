import { createServer, get, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { createOutbox, type Outbox } from "../../src/server/http-outbox.ts";

/** A client that opens the stream of an outbox. */
async function openStream(
  outbox: Outbox,
): Promise<{ reply: IncomingMessage; text: () => string; abort: () => Promise<void>; end: () => void }> {
  let [gone, isGone] = [(): void => undefined, Promise.resolve()];
  let end = (): void => undefined;
  const server = createServer((_request, response: ServerResponse) => {
    response.on("error", () => undefined);
    outbox.open(response, 60_000);
    end = () => void response.end();
    isGone = new Promise((resolve) => (gone = resolve));
    response.once("close", () => gone());
  }).listen(0, "127.0.0.1");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise((resolve) => server.once("listening", resolve));
  const request = get({ port: (server.address() as AddressInfo).port, host: "127.0.0.1", agent: false });
  request.on("error", () => undefined);
  const reply = await new Promise<IncomingMessage>((resolve) => request.once("response", resolve));
  let text = "";
  reply.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  reply.on("error", () => undefined);
  return { reply, text: () => text, abort: () => (request.destroy(), isGone), end: () => end() };
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 2));
}

const count = (text: string): number => text.split("\n\n").length - 1;

describe("[gateway:http] messages for the GET stream", () => {
  it("wait for it, 1,000 at most, and come in their order", async () => {
    const outbox = createOutbox();
    const taken = Array.from({ length: 1_002 }, (_, index) => outbox.send(`{"n":${index}}`));
    expect(taken.filter(Boolean)).toHaveLength(1_000);
    expect(taken.slice(-2)).toEqual([false, false]);
    const stream = await openStream(outbox);
    await until(() => count(stream.text()) === 1_000);
    expect(stream.text().startsWith('event: message\ndata: {"n":0}\n\nevent: message\ndata: {"n":1}\n\n')).toBe(true);
    expect(outbox.send('{"n":"later"}')).toBe(true);
    await until(() => stream.text().includes("later"));
  });
  it("are bounded in bytes", () => {
    const outbox = createOutbox();
    const big = `"${"x".repeat(4 * 1024 * 1024)}"`;
    expect([1, 2, 3, 4].map(() => outbox.send(big))).toEqual([true, true, true, false]);
  });
  it("wait again when the client has gone", async () => {
    const outbox = createOutbox();
    const first = await openStream(outbox);
    // The server has heard of it.
    await first.abort();
    expect(outbox.send('{"n":1}')).toBe(true);
    const second = await openStream(outbox);
    await until(() => count(second.text()) === 1);
  });
  it("wait again once the stream is told to end, although it has not ended yet", async () => {
    const outbox = createOutbox();
    const first = await openStream(outbox);
    first.end();
    expect(outbox.send('{"n":1}')).toBe(true);
    const second = await openStream(outbox);
    await until(() => count(second.text()) === 1);
  });
  it("that stand on several lines are one event", async () => {
    const outbox = createOutbox();
    outbox.send('{\n"n": "a\u2028b"\r\n}');
    const stream = await openStream(outbox);
    await until(() => count(stream.text()) === 1);
    expect(stream.text()).toBe('event: message\ndata: { "n": "a\u2028b" }\n\n');
  });
  it("are lost after the end, and that is said", async () => {
    const outbox = createOutbox();
    const stream = await openStream(outbox);
    outbox.close();
    expect(outbox.send("{}")).toBe(false);
    await until(() => stream.reply.readableEnded);
  });
});
