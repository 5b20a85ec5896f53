import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createRegistry } from "../../src/tools/registry.ts";
import type { Tool } from "../../src/tools/tool.ts";

function tool(parts: Partial<Tool> = {}): Tool {
  return {
    name: "echo",
    title: "Echo",
    description: "gives back its text",
    input: z.strictObject({ text: z.string(), times: z.number().int().min(1).default(1) }),
    output: z.strictObject({ text: z.string() }),
    timeoutMs: 1_000,
    handler: () => Promise.resolve({ structured: { text: "" } }),
    ...parts,
  };
}

describe("createRegistry", () => {
  it("publishes schemas without a dialect, with defaults left optional [M22]", () => {
    const registered = createRegistry([tool()]).get("echo");
    expect(registered?.inputSchema).toEqual({
      type: "object",
      properties: { text: { type: "string" }, times: { default: 1, type: "integer", minimum: 1, maximum: 9007199254740991 } },
      required: ["text"],
      additionalProperties: false,
    });
    expect(registered?.outputSchema).toEqual({
      type: "object",
      properties: { text: { type: "string" } },
      required: ["text"],
      additionalProperties: false,
    });
  });

  it("publishes a union of objects as one object schema", () => {
    const output = z.union([z.strictObject({ a: z.string(), b: z.string().optional() }), z.strictObject({ c: z.literal(true) })]);
    expect(createRegistry([tool({ output })]).get("echo")?.outputSchema).toEqual({
      type: "object",
      properties: { a: { type: "string" }, b: { type: "string" }, c: { type: "boolean", const: true } },
      additionalProperties: false,
      anyOf: [{ required: ["a"] }, { required: ["c"] }],
    });
  });

  it.each(["constructor", "__proto__", "Echo", "echo ", ""])("knows no tool %j", (name) => {
    expect(createRegistry([tool()]).get(name)).toBeUndefined();
  });

  const shared = z.strictObject({ x: z.string() });
  const bad: [string, Partial<Tool>, string][] = [
    ["a name with a dot", { name: "a.b" }, "tool name `a.b` is not fit for the wire"],
    ["a name of 65 characters", { name: "a".repeat(65) }, "is not fit for the wire"],
    ["an open object", { input: z.object({ a: z.string() }) }, "a tool schema must be an object that refuses unknown keys"],
    ["a loose object", { input: z.looseObject({}) }, "a tool schema must be an object that refuses unknown keys"],
    ["no object", { input: z.string() }, "a tool schema must be an object that refuses unknown keys"],
    ["an open object in a union", { output: z.union([shared, z.object({})]) }, "a tool schema must be an object that refuses unknown keys"],
  ];
  it.each(bad)("refuses a tool with %s", (_, parts, message) => {
    const make = (): unknown => createRegistry([tool(parts)]);
    expect(make).toThrow(message);
  });

  it("refuses a name twice", () => {
    expect(() => createRegistry([tool(), tool()])).toThrow("tool `echo` is registered twice");
  });

  it("takes a property named like a keyword as a name", () => {
    const input = z.strictObject({ definitions: z.string(), properties: z.string() });
    expect(createRegistry([tool({ input })]).get("echo")?.inputSchema["required"]).toEqual(["definitions", "properties"]);
  });

  it("refuses a recursive schema, which needs definitions", () => {
    const node: z.ZodType = z.strictObject({
      get next() {
        return node.optional();
      },
    });
    expect(() => createRegistry([tool({ output: z.strictObject({ node }) })])).toThrow(/a tool schema must not use `\$/);
  });
});
