import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { temporaryFolder } from "./client.ts";

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

it.each([
  ["README.md", "would read 5 lines"],
  ["docs/embedding.md", "would read todo"],
])("the first gate of %s runs its handler", (page, text) => {
  const [, code = ""] = /```[jt]s\n(import \{ createGate \}.*?)```/s.exec(readFileSync(page, "utf8")) ?? [];
  const output = execFileSync(process.execPath, ["--input-type=module", "-e", `${code}\nconsole.log(JSON.stringify(result))`], {
    encoding: "utf8",
    env: { PATH: process.env["PATH"] ?? "", XDG_STATE_HOME: temporaryFolder() },
  });
  expect((JSON.parse(output) as { content: unknown }).content).toEqual([{ type: "text", text }]);
});
