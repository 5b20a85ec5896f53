import { Writable } from "node:stream";
import { expect, onTestFinished, test, vi } from "vitest";
import { createLineWriter } from "../../src/server/line-writer.ts";

/** A stream whose reader takes a chunk only when told to. */
function stepwise(): { stream: Writable; chunks: Buffer[]; take: () => Promise<void> } {
  const chunks: Buffer[] = [];
  let next: (() => void) | undefined;
  const stream = new Writable({
    highWaterMark: 16 * 1024,
    write: (chunk: Buffer, _, done) => {
      chunks.push(chunk);
      next = done;
    },
  });
  const take = async (): Promise<void> => {
    next?.();
    await new Promise(setImmediate);
  };
  return { stream, chunks, take };
}

test("hands on one slice at a time and keeps the rest", async () => {
  const { stream, chunks, take } = stepwise();
  const writer = createLineWriter(stream, () => {});
  for (let line = 0; line < 10; line += 1) writer.write("x".repeat(100_000));
  expect(writer.backlog()).toBe(1_000_010);
  expect(stream.writableLength).toBe(65_536);
  expect(chunks).toHaveLength(1);
  await take();
  expect(writer.backlog()).toBe(1_000_010 - 65_536);
  expect(stream.writableLength).toBeLessThanOrEqual(65_536);
  while (writer.backlog() > 0) await take();
  expect(Buffer.concat(chunks).toString()).toBe(`${"x".repeat(100_000)}\n`.repeat(10));
});

test("tells when the backlog has fallen, and when all is written", async () => {
  const { stream, take } = stepwise();
  const writer = createLineWriter(stream, () => {});
  writer.write("x".repeat(200_000));
  const order: string[] = [];
  const below = writer.below(100_000).then(() => order.push("below"));
  const flushed = writer.flushed(60_000).then((all) => order.push(`flushed ${all}`));
  await take();
  expect(order).toEqual([]);
  await take();
  expect(order).toEqual(["below"]);
  await take();
  await take();
  await Promise.all([below, flushed]);
  expect(order).toEqual(["below", "flushed true"]);
  expect(await writer.flushed(0)).toBe(true);
});

test("gives up a reader that takes nothing, but not one that is slow", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const { stream, take } = stepwise();
  const writer = createLineWriter(stream, () => {});
  writer.write("x".repeat(200_000));
  const stuck = writer.flushed(500);
  vi.advanceTimersByTime(500);
  expect(await stuck).toBe(false);
  const slow = writer.flushed(500);
  for (let i = 0; i < 4; i += 1) {
    vi.advanceTimersByTime(499);
    await take();
  }
  expect(await slow).toBe(true);
});

test("a broken stream takes the backlog with it, once, and later lines go nowhere", async () => {
  let broken = 0;
  const stream = new Writable({ write: (_chunk, _encoding, done) => setImmediate(() => done(new Error("EPIPE"))) });
  const writer = createLineWriter(stream, () => (broken += 1));
  writer.write("a");
  writer.write("b");
  expect(await writer.flushed(60_000)).toBe(false);
  writer.write("c");
  expect(writer.backlog()).toBe(0);
  await new Promise(setImmediate);
  expect(broken).toBe(1);
});
