import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { policyInputJsonSchema } from "../../src/policy/input-schema.ts";
import { policyInputPage } from "../../src/policy/input-page.ts";
import { policyInputSchema } from "../../src/policy/input.ts";

/** Every member of a schema document, with its path. */
function members(value: unknown, path = ""): (readonly [string, unknown])[] {
  if (typeof value !== "object" || value === null) return [];
  const own = Object.entries(value).map(([key, member]) => [`${path}/${key}`, member] as const);
  return [...own, ...own.flatMap(([at, member]) => members(member, at))];
}

const schema = policyInputJsonSchema();
const all = members(schema);

describe("the JSON schema of the policy input", () => {
  it("is the committed one (else run `make schema`)", () => {
    expect(readFileSync("policy/schemas/input.json", "utf8")).toBe(`${JSON.stringify(schema, null, 2)}\n`);
  });

  it("has the fields of the contract", () => {
    const fields = [
      ["time", "user", "groups", "session_id", "agent", "command", "args", "arguments", "tool", "path", "session", "profile"],
      [
        "client",
        "usage",
        "approval",
        "workdir",
        "method",
        "from",
        "params",
        "result",
        "context",
        "shell",
        "environment",
        "elevation",
        "lease",
        "subject",
        "envelope",
      ],
    ].flat();
    expect(Object.keys(schema["properties"] as object)).toEqual(fields);
  });

  it("requires nothing, since the engine requires nothing", () => {
    expect(all.filter(([path]) => path.endsWith("/required"))).toEqual([]);
    expect(policyInputSchema.safeParse({}).success).toBe(true);
  });

  it("has only what OPA's type checker reads rightly", () => {
    const unsupported = /\/(?:oneOf|not|if|then|else|patternProperties|contains|\$ref|\$schema|const)$/u;
    expect(all.filter(([path]) => unsupported.test(path))).toEqual([]);
    expect(all.filter(([path, value]) => path.endsWith("/type") && typeof value !== "string")).toEqual([]);
  });

  it("leaves open what callers fill, and nothing else", () => {
    const open = all.filter(([path]) => path.endsWith("/additionalProperties")).map(([path, value]) => [path, value]);
    expect(open).toEqual(
      ["arguments", "params", "result", "context", "subject", "envelope"].map((field) => [`/properties/${field}/additionalProperties`, {}]),
    );
  });

  it("describes every field", () => {
    for (const [field, value] of Object.entries(schema["properties"] as object)) {
      expect([field, (value as { description?: string }).description]).toEqual([field, expect.stringMatching(/./u)]);
    }
  });
});

describe("the page of the policy input", () => {
  it("is the committed one (else run scripts/generate-policy-docs.mjs)", () => {
    expect(readFileSync("docs/policy-input.md", "utf8")).toBe(policyInputPage());
  });

  it("shows types, values and what lies below", () => {
    const page = policyInputPage();
    expect(page).toContain("\n  - `risk` (`read`, `mutable`, `destructive`, `unknown`): class of this call\n");
    expect(page).toContain("\n- `profile` (object): the active profile\n  - `active` (string or null): label or null\n");
    expect(page).toContain("\n    - `argv` (array of string or object): all words, the program first\n");
  });
});
