import { describe, expect, it } from "vitest";
import { createTurns } from "../../src/starlark/turns.ts";

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("turns", () => {
  it("lets so many in, then one for each that leaves, in order", async () => {
    const turns = createTurns(2, 10);
    const order: string[] = [];
    const enter = async (name: string): Promise<() => void> => {
      const leave = await turns.enter(undefined);
      order.push(name);
      return leave ?? (() => undefined);
    };
    const [a, b, c, d] = [enter("a"), enter("b"), enter("c"), enter("d")];
    await settled();
    expect(order).toEqual(["a", "b"]);
    (await a)();
    await settled();
    expect(order).toEqual(["a", "b", "c"]);
    (await b)();
    (await c)();
    await d;
    expect(order).toEqual(["a", "b", "c", "d"]);
  });

  it("sends away who comes when too many wait", async () => {
    const turns = createTurns(1, 1);
    const leave = await turns.enter(undefined);
    const waiting = turns.enter(undefined);
    expect(await turns.enter(undefined)).toBeUndefined();
    leave?.();
    expect(await waiting).toBeTypeOf("function");
  });

  it("a place is given back once", async () => {
    const turns = createTurns(1, 10);
    const leave = await turns.enter(undefined);
    leave?.();
    leave?.();
    await turns.enter(undefined);
    let third = false;
    void turns.enter(undefined).then(() => (third = true));
    await settled();
    expect(third).toBe(false);
  });

  it("who gives up waiting leaves the queue and takes no place", async () => {
    const turns = createTurns(1, 1);
    const leave = await turns.enter(undefined);
    const stop = new AbortController();
    const gone = turns.enter(stop.signal);
    stop.abort(new Error("gone"));
    await expect(gone).rejects.toThrow("gone");
    const next = turns.enter(undefined);
    leave?.();
    expect(await next).toBeTypeOf("function");
    await expect(turns.enter(AbortSignal.abort(new Error("late")))).rejects.toThrow("late");
  });

  it("who gives up after getting a place leaves the queue alone", async () => {
    const turns = createTurns(1, 10);
    const first = await turns.enter(undefined);
    const stop = new AbortController();
    const second = turns.enter(stop.signal);
    const third = turns.enter(undefined);
    first?.();
    const leave = await second;
    stop.abort(new Error("late"));
    leave?.();
    expect(await third).toBeTypeOf("function");
  });
});
