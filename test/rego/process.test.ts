import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { SLOW } from "./support.ts";

const run = promisify(execFile);
const door = new URL("../../dist/rego/toolchain.js", import.meta.url).href;

describe("a process that uses the toolchain", () => {
  it("ends by itself when it forgets to close, and prints nothing of its own", SLOW, async () => {
    const script = `import { openToolchain } from ${JSON.stringify(door)};
      const toolchain = openToolchain();
      const { ok, value } = await toolchain.version();
      process.stdout.write(String(ok && value.opa));`;
    const { stdout, stderr } = await run(process.execPath, ["--input-type=module", "-e", script], { timeout: 120_000 });
    expect({ stdout, stderr }).toEqual({ stdout: "1.22.4", stderr: "" });
  });

  it("stays alive while a call runs", SLOW, async () => {
    const script = `import { openToolchain } from ${JSON.stringify(door)};
      openToolchain().check({ files: new Map([["a.rego", "package a"]]) }).then(({ ok }) => process.stdout.write(String(ok)));`;
    expect(await run(process.execPath, ["--input-type=module", "-e", script], { timeout: 120_000 })).toEqual({
      stdout: "true",
      stderr: "",
    });
  });
});
