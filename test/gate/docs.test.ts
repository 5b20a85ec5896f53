import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { GATE_ORDER } from "../../src/gate/order.ts";
import { REFUSALS } from "../../src/gate/refusals.ts";

const page = readFileSync(new URL("../../docs/gate.md", import.meta.url), "utf8");
/** First and second cell of every table row whose first cell is a code in backticks. */
const rows = [...page.matchAll(/^\| `([a-z]+\.[a-z_]+)` +\| ([^|]*) \|/gm)].map(([, code = "", text = ""]) => ({
  code,
  text: text.trim(),
}));

it("docs/gate.md has every code once, with the text of the table", () => {
  expect(rows.map(({ code }) => code).toSorted()).toEqual(Object.keys(REFUSALS).toSorted());
  const table = new Map<string, { readonly text: string }>(Object.entries(REFUSALS));
  for (const { code, text } of rows) {
    const [shown = "", ...cut] = text.split("(…)");
    const whole = table.get(code)?.text ?? "";
    expect(cut.length === 0 ? whole : whole.slice(0, shown.length)).toBe(shown);
  }
});

it("docs/gate.md has the stages in their order", () => {
  const stages = [...page.matchAll(/^\| \d+ +\| `([a-z_]+)` +\|/gm)].map(([, id]) => id);
  expect(stages).toEqual(GATE_ORDER.map(({ id }) => id));
});
