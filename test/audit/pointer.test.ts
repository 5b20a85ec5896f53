import { expect, test } from "vitest";
import { pointerOf, tidyPointers } from "../../src/audit/pointer.ts";

test("erasing a parent makes its children vanish from the list (trial L03)", () => {
  expect(tidyPointers(["/input/arguments/token", "/input/arguments"])).toEqual(["/input/arguments"]);
});

test("sorted and unique; only whole segments make a parent", () => {
  expect(tidyPointers(["/b", "/a/b", "/a-b", "/a/b", "/a/bc", "/a/b/c/d", "/a-b/c"])).toEqual(["/a-b", "/a/b", "/a/bc", "/b"]);
  expect(tidyPointers([])).toEqual([]);
});

test("segments are escaped as RFC 6901 says", () => {
  expect(pointerOf(["input", "a/b", "m~n", 0, ""])).toBe("/input/a~1b/m~0n/0/");
});
