import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parseRegoText } from "../../../src/policy/builtins/rego-text.ts";
import { HOST_BUILTINS } from "../../../src/policy/builtins/registry.ts";
import { BuiltinLimit, type RegoValue } from "../../../src/policy/builtins/values.ts";

type Row = readonly [name: string, operands: readonly string[], answer?: unknown];

const rows = JSON.parse(readFileSync(new URL("../fixtures/builtins.json", import.meta.url), "utf8")) as Row[];
const byName = new Map<string, Row[]>();
for (const row of rows) byName.set(row[0], [...(byName.get(row[0]) ?? []), row]);

/** Fractions in Go's hexadecimal and binary forms or with the `#` flag, and Go's error verb: this engine aborts where OPA goes on. */
const LEFT_OUT = /%[#0+\- ]*[\d.]*[bxX]|%[^a-zA-Z]*#|%w/;

/** The form of the fixture: numbers as `{n: text}`. */
function plain(value: RegoValue | undefined): unknown {
  if (value === undefined || value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map(plain);
  const tagged = value as Exclude<RegoValue, null | boolean | string | readonly RegoValue[]>;
  return tagged.kind === "number" ? { n: tagged.text } : tagged;
}

function answerOf([name, operands]: Row): unknown {
  try {
    return plain(HOST_BUILTINS.get(name)?.call(...operands.map(parseRegoText)));
  } catch (error) {
    if (error instanceof BuiltinLimit) return "aborted";
    throw error;
  }
}

describe("host builtins answer as OPA's interpreter does", () => {
  it("has cases for every builtin, and no others", () => {
    expect([...byName.keys()].toSorted()).toEqual([...HOST_BUILTINS.keys()].toSorted());
  });

  it.each([...byName.keys()])("%s", (name) => {
    const wrong = (byName.get(name) ?? [])
      .map((row) => ({ operands: row[1], want: row[2], got: answerOf(row) }))
      .filter(({ want, got }) => JSON.stringify(got) !== JSON.stringify(want))
      .filter(({ operands, got }) => !(name === "sprintf" && got === "aborted" && LEFT_OUT.test(operands[0] ?? "")));
    expect(wrong).toEqual([]);
  });

  it("takes as many operands as OPA's declaration says", () => {
    const capabilities = JSON.parse(readFileSync(new URL("../../../policy/capabilities.json", import.meta.url), "utf8")) as {
      builtins: { name: string; decl: { args?: unknown[] } }[];
    };
    const declared = new Map(capabilities.builtins.map(({ name, decl }) => [name, decl.args?.length ?? 0]));
    expect(Array.from(HOST_BUILTINS, ([name, { arity }]) => [name, arity])).toEqual(
      Array.from(HOST_BUILTINS.keys(), (name) => [name, declared.get(name)]),
    );
  });
});
