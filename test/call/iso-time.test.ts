import { array, assert, integer, property } from "fast-check";
import { expect, it } from "vitest";
import { isoTime } from "../../src/call/iso-time.ts";

it("writes what Date writes, the same moment again and others between", () => {
  const times = array(integer({ min: -8.64e15, max: 8.64e15 }), { maxLength: 20 });
  assert(
    property(times, (all) => {
      for (const ms of [...all, ...all.flatMap((one) => [one, one])]) expect(isoTime(ms)).toBe(new Date(ms).toISOString());
    }),
  );
  expect(() => isoTime(Number.NaN)).toThrow(RangeError);
  expect(isoTime(0)).toBe("1970-01-01T00:00:00.000Z");
});
