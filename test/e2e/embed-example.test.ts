import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";

it("the embedding example runs as its page says", () => {
  const output = execFileSync(process.execPath, ["examples/embed/main.mjs"], { encoding: "utf8" });
  const rows = output
    .trimEnd()
    .split("\n")
    .map((line) => line.split(/\s+/, 2));
  expect(rows).toEqual([
    ["read_note", "ok"],
    ["write_note", "identity.unconfirmed"],
    ["whoami", "ok"],
    ["write_note", "ok"],
  ]);
});
