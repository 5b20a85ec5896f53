import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { explainRules } from "../../src/rego/explain.ts";
import type { Finding } from "../../src/rego/explain.ts";
import { readRuleSources } from "../../src/rego/rule-sources.ts";
import { sharedToolchain, SLOW, valueOf } from "./support.ts";

const toolchain = sharedToolchain();

async function found(rules: Readonly<Record<string, string>>, input: unknown, data = {}): Promise<readonly Finding[]> {
  const files = new Map(
    Object.entries(rules).map(([name, text]) => [`policy/gate/rules/${name}/${name}.rego`, `package gate.rules.${name}\n${text}`]),
  );
  const sources = { rules: Object.keys(rules), files };
  return valueOf(await explainRules(toolchain, { sources, data, input: JSON.stringify(input) }));
}

const short = (findings: readonly Finding[]) => findings.map(({ code, line, source, held }) => [code ?? "", line, source, held]);

describe("findings", SLOW, () => {
  it("are the conditions of a denial that held, and below a negation those that did not", async () => {
    const one = `
deny contains {"code": "one.x", "rule": "one", "message": "no"} if {
	input.command == "run_shell"
	not _covered
}

_covered if input.risk == "read"

_covered if {
	input.role == "boss"
	input.reason != ""
}
`;
    expect(short(await found({ one }, { command: "run_shell", risk: "destructive", role: "boss" }))).toEqual([
      ["one.x", 4, 'input.command == "run_shell"', true],
      ["one.x", 8, '_covered if input.risk == "read"', false],
      ["one.x", 12, 'input.reason != ""', false],
    ]);
    expect(await found({ one }, { command: "ls" })).toEqual([]);
  });

  it("are the failures of `allow` where a rule gives no reason, also behind a rule that was asked before", async () => {
    const two = `
allow if {
	input.a
	_b
}

allow if {
	input.c
	_b
}

_b if input.b == 1
`;
    expect(short(await found({ two }, { a: true, c: true, b: 2 }))).toEqual([["", 13, "_b if input.b == 1", false]]);
    expect(await found({ two }, { a: true, b: 1 })).toEqual([]);
  });

  it("name a condition that fails for every element once, and one that the index would have skipped", async () => {
    const three = `
allow if {
	input.kind == "other"
	some x in input.list
	x > 10
}

allow if {
	some x in input.list
	x > 10
}
`;
    expect(short(await found({ three }, { kind: "this", list: [1, 2, 3] }))).toEqual([
      ["", 4, 'input.kind == "other"', false],
      ["", 11, "x > 10", false],
    ]);
  });

  it("stand beside those of other rules, and read the bundle's data", async () => {
    const rules = { a: 'deny contains {"code": "a.x"} if not input.t in data.regate.tools\n', b: "allow if input.t\n" };
    expect(short(await found(rules, { t: "z" }, { regate: { tools: ["y"] } }))).toEqual([
      ["a.x", 2, 'deny contains {"code": "a.x"} if not input.t in data.regate.tools', true],
    ]);
  });

  it("are errors and no findings when the rules cannot be evaluated", async () => {
    const sources = { rules: ["a"], files: new Map([["policy/a.rego", "package gate.rules.a\nallow if {"]]) };
    expect(await explainRules(toolchain, { sources, data: {}, input: "{}" })).toMatchObject({
      ok: false,
      errors: [{ code: "rego_parse_error" }],
    });
  });
});

describe("sources of a bundle", () => {
  const root = mkdtempSync(join(tmpdir(), "regate-sources-"));
  afterAll(() => rmSync(root, { recursive: true, force: true }));
  for (const part of ["policy", "bundles", "wasm"]) cpSync(part, join(root, part), { recursive: true });
  const bundle = join(root, "wasm/ai-agent");

  it("are the files from which it was built", async () => {
    const read = await readRuleSources(bundle, () => true);
    if (!read.ok) throw new Error(read.problem);
    expect(read.sources.rules).toEqual(["ai_agent"]);
    expect([...read.sources.files.keys()]).toContain("policy/gate/rules/ai_agent/ai-agent.rego");
  });

  it("are not shown when they are absent or changed, or belong to another bundle", async () => {
    const problem = async (folder: string, isLoaded = true) => {
      const read = await readRuleSources(folder, () => isLoaded);
      return read.ok ? "found" : read.problem;
    };
    cpSync(bundle, join(root, "copy/here/ai-agent"), { recursive: true });
    expect(await problem(join(root, "copy/here/ai-agent"))).toMatch(/from which the bundle was built, is not there/);
    expect(await problem(bundle, false)).toBe("the bundle on disk is not the one that was loaded");
    expect(await problem(root)).toBe("the bundle is no folder with a manifest.json");
    writeFileSync(join(root, "policy/gate/rules/ai_agent/ai-agent.rego"), "package gate.rules.ai_agent\n");
    expect(await problem(bundle)).toMatch(/is not the text from which the bundle was built/);
  });
});
