import { describe, expect, it } from "vitest";
import { NATIVE_BUILTINS, NEVER_ALLOWED, WRONG_IN_WASM } from "../../src/policy/wasm-builtins.ts";
import { hostBuiltins } from "../../src/rego/module-builtins.ts";
import { sharedToolchain, SLOW, valueOf } from "./support.ts";

const toolchain = sharedToolchain();

interface Declaration {
  readonly name: string;
  readonly infix?: string;
  readonly decl: { readonly args?: readonly unknown[]; readonly result?: unknown };
}

// No function of a module: resolved by the compiler, made by it, or relations without a value.
const SPECIAL = /^(?:assign|eq|rego\.metadata\..*|internal\..*|print|walk)$/u;

describe("wasm builtins", () => {
  it("NATIVE_BUILTINS are those that the compiler asks no host for", SLOW, async () => {
    const { builtins } = valueOf(await toolchain.capabilities()) as unknown as { builtins: readonly Declaration[] };
    const plain = builtins.filter(({ name }) => !SPECIAL.test(name));
    const calls = plain.map(({ name, decl }, index) => `p${index} := ${call(name, (decl.args ?? []).length)}`);
    const entrypoints = plain.map((_, index) => `a/p${index}`);
    const files = new Map([["a.rego", `package a\n\n${calls.join("\n")}\n`]]);
    // Deprecated functions are there for v0 only.
    const { wasm } = valueOf(await toolchain.build({ files, entrypoints, regoVersion: "v0" }));
    const host = hostBuiltins(wasm ?? new Uint8Array());
    expect(plain.map(({ name }) => name).filter((name) => !host.includes(name))).toEqual(
      [...NATIVE_BUILTINS.keys()].filter((name) => !SPECIAL.test(name)),
    );
  });

  it("what is wrong in WASM is native, and what is never allowed exists", SLOW, async () => {
    const { builtins } = valueOf(await toolchain.capabilities()) as unknown as { builtins: readonly Declaration[] };
    const names = new Set(builtins.map(({ name }) => name));
    expect([...WRONG_IN_WASM.keys()].filter((name) => !NATIVE_BUILTINS.has(name))).toEqual([]);
    expect([...NEVER_ALLOWED.keys()].filter((name) => !names.has(name))).toEqual([]);
  });
});

/** Infix operators have function names too. */
function call(name: string, count: number): string {
  return `${name}(${Array.from({ length: count }, (_, index) => `input.x${index}`).join(", ")})`;
}
