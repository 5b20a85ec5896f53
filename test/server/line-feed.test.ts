import { setImmediate as nextImmediate } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { createLineFeed } from "../../src/server/line-feed.ts";

/** The event loop has looked for news once. */
async function nextTurn(): Promise<void> {
  await nextImmediate();
  await nextImmediate();
}

/** A feed whose lines take so many milliseconds of a clock that only they move. */
function feedOf(): { feed: ReturnType<typeof createLineFeed<number>>; done: number[]; turns: () => number } {
  let [now, turns] = [0, 0];
  vi.spyOn(performance, "now").mockImplementation(() => now);
  const done: number[] = [];
  const take = (ms: number): void => {
    now += ms;
    done.push(ms);
  };
  return { feed: createLineFeed<number>({ take, keep: (line) => line, onTurn: () => (turns += 1) }), done, turns: () => turns };
}

test("quick lines are handed on at once, in their order", () => {
  const { feed, done } = feedOf();
  for (const line of [1, 2, 3, 4]) feed.push(line);
  expect(done).toEqual([1, 2, 3, 4]);
  expect(feed.isFull()).toBe(false);
});

test("after 50 ms of work the event loop turns; nothing more is read until then", async () => {
  const { feed, done, turns } = feedOf();
  for (const line of [30, 31, 32, 1]) feed.push(line);
  expect([done, feed.isFull()]).toEqual([[30, 31], true]);
  await nextTurn();
  expect([done, turns(), feed.isFull()]).toEqual([[30, 31, 32, 1], 1, false]);
});

test("behind a slow line reading goes on, and each turn hands on one more", async () => {
  const { feed, done } = feedOf();
  for (const line of [1000, 1001, 1002]) feed.push(line);
  expect([done, feed.isFull(), feed.lateMs()]).toEqual([[1000], false, 1000]);
  await nextTurn();
  expect(done).toEqual([1000, 1001]);
});

test("near the end nothing follows a slow line until it is finished", async () => {
  const { feed, done } = feedOf();
  for (const line of [1000, 1001, 1002]) feed.push(line);
  await feed.ending();
  await nextTurn();
  await nextTurn();
  expect(done).toEqual([1000, 1001]);
  feed.finish();
  expect(done).toEqual([1000, 1001, 1002]);
});

test("near the end quick lines are handed on, and the end waits for them", async () => {
  const { feed, done } = feedOf();
  for (const line of [60, 61, 62]) feed.push(line);
  expect(done).toEqual([60]);
  await feed.ending();
  expect(done).toEqual([60, 61, 62]);
});

test("what a line set going is over before the next one", async () => {
  const heard: string[] = [];
  const feed = createLineFeed<string>({
    take(line) {
      heard.push(line);
      if (line !== "answer") return;
      feed.turnFirst();
      void Promise.resolve().then(async () => heard.push(await Promise.resolve("heard")));
    },
    keep: (line) => line,
    onTurn: () => undefined,
  });
  for (const line of ["call", "answer", "call"]) feed.push(line);
  await nextTurn();
  await nextTurn();
  expect(heard).toEqual(["call", "answer", "heard", "call"]);
});

test("what is dropped is not handed on", async () => {
  const { feed, done } = feedOf();
  for (const line of [60, 61]) feed.push(line);
  feed.drop();
  await nextTurn();
  expect(done).toEqual([60]);
});

test("a line that must wait is copied", async () => {
  const taken: string[] = [];
  const bytes = Buffer.from("a");
  vi.spyOn(performance, "now").mockImplementation(() => taken.length * 60);
  const feed = createLineFeed<Uint8Array>({
    take: (line) => taken.push(Buffer.from(line).toString()),
    keep: (line) => Buffer.from(line),
    onTurn: () => undefined,
  });
  for (const text of ["a", "b"]) feed.push(bytes.fill(text));
  bytes.fill("x");
  await nextTurn();
  expect(taken).toEqual(["a", "b"]);
});
