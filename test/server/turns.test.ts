import { setTimeout } from "node:timers/promises";
import { expect, it } from "vitest";
import { andThen, createTurns } from "../../src/server/turns.ts";

it("takes a step at once when no other one is under way", () => {
  const turns = createTurns();
  expect(turns.take(() => 1)).toBe(1);
  expect(() => turns.take(() => failing("one"))).toThrow("one");
  expect(turns.take(() => 2)).toBe(2);
});

it("keeps the order of steps behind one that waits, also when that fails", async () => {
  const turns = createTurns();
  const taken: number[] = [];
  const slow = turns.take(async () => {
    await setTimeout(20);
    taken.push(1);
    throw new Error("one");
  });
  const second = turns.take(() => taken.push(2));
  const third = turns.take(async () => {
    await setTimeout(5);
    return taken.push(3);
  });
  const fourth = turns.take(() => failing("four"));
  await expect(slow).rejects.toThrow("one");
  expect([await second, await third]).toEqual([2, 3]);
  await expect(fourth).rejects.toThrow("four");
  expect(taken).toEqual([1, 2, 3]);
  await setTimeout(0);
  expect(turns.take(() => 4)).toBe(4);
});

it("goes on with what is there without waiting", async () => {
  expect(andThen(1, (value) => value + 1)).toBe(2);
  expect(await andThen(Promise.resolve(1), (value) => value + 1)).toBe(2);
});

function failing(message: string): number {
  throw new Error(message);
}
