import { describe, expect, it } from "vitest";
import { groupsOf } from "../../src/admin/page/groups.ts";
import type { Approval } from "../../src/admin/page/types.ts";

/** A request of a session, so many milliseconds after the start. */
const at = (session: string, ms: number): Approval =>
  ({ id: `${session}${ms}`, session_id: session, created_at: new Date(1_796_000_000_000 + ms).toISOString() }) as Approval;

describe("groups of requests (U10)", () => {
  it.each([
    ["one is a group", [at("a", 0)], [["a0"]]],
    ["together, in the order in which they came", [at("a", 900), at("a", 0), at("a", 1_900)], [["a0", "a900", "a1900"]]],
    ["a pause begins another", [at("a", 0), at("a", 1_001)], [["a0"], ["a1001"]]],
    ["sessions are not mixed", [at("a", 0), at("b", 1), at("a", 2)], [["a0", "a2"], ["b1"]]],
    ["none", [], []],
  ])("%s", (_name, approvals, ids) => {
    expect(groupsOf(approvals).map((group) => group.approvals.map(({ id }) => id))).toEqual(ids);
  });

  it("a stream without a pause is more than one group", () => {
    const stream = Array.from({ length: 30 }, (_, index) => at("a", index * 900));
    expect(groupsOf(stream).map((group) => group.approvals.length)).toEqual([12, 12, 6]);
  });
});
