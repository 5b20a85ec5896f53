import { expect, it } from "vitest";
import { elicitationOutcome } from "../../src/server/elicitation-outcome.ts";

it.each<[unknown, string]>([
  [{ action: "accept", content: { confirm: true } }, "accepted"],
  [{ action: "accept", content: { confirm: true, more: 1 }, _meta: {} }, "accepted"],
  [{ action: "accept", content: { confirm: false } }, "declined"],
  [{ action: "decline" }, "declined"],
  [{ action: "decline", content: { confirm: true } }, "declined"],
  [{ action: "cancel" }, "cancelled"],
  [{ action: "accept" }, "malformed"],
  [{ action: "accept", content: null }, "malformed"],
  [{ action: "accept", content: [] }, "malformed"],
  [{ action: "accept", content: { confirm: "true" } }, "malformed"],
  [{ action: "accept", content: { confirm: 1 } }, "malformed"],
  [{ action: "accept", content: { Confirm: true } }, "malformed"],
  [{ action: "accept", content: Object.create({ confirm: true }) as unknown }, "malformed"],
  [Object.create({ action: "accept", content: { confirm: true } }), "malformed"],
  [{ action: "Accept", content: { confirm: true } }, "malformed"],
  [{ action: ["accept"], content: { confirm: true } }, "malformed"],
  [{ content: { confirm: true } }, "malformed"],
  [{}, "malformed"],
  [true, "malformed"],
  ["accept", "malformed"],
  [5, "malformed"],
  [null, "malformed"],
  [undefined, "malformed"],
  [[{ action: "accept", content: { confirm: true } }], "malformed"],
])("%j is %s", (result, outcome) => {
  expect(elicitationOutcome(result)).toBe(outcome);
});
