import { listCalls } from "./wasm-code.ts";
import { listSections, takeByte, takeName, takeUnsigned, type Cursor, type Section } from "./wasm-reader.ts";

/** What a policy module says about itself, read from its binary: none of it can be asked from the running module. */
export interface ModuleFacts {
  /** Limits of the imported memory, in pages of 64 KiB (trials W07: read from the module, not constants). */
  readonly memory: { readonly minimum: number; readonly maximum?: number };
  /** Functions of OPA's runtime that policy code calls directly: the native builtins in use, among others. */
  readonly runtimeCalls: ReadonlySet<string>;
  /** Host builtins that policy code calls: builtin id and number of arguments. */
  readonly hostCalls: readonly { readonly id: number; readonly arity: number }[];
  /** Paths of the rules and functions in the module, without the leading `data`. */
  readonly rulePaths: readonly (readonly string[])[];
}

const IMPORT = 2;
const CODE = 10;
const CUSTOM = 0;
const DISPATCHER = /^opa_builtin([0-4])$/;
/** OPA's planner names rules and functions `g0.data.<package>.<rule>`. */
const PLANNED = /^g\d+\.data\./;

/**
 * Reads the facts of a compiled module from its bytes.
 * @param bytes a module that `WebAssembly.compile` has accepted
 * @throws {RangeError} when the module has no memory import, no name section, or code that OPA's compiler does not emit
 */
export function readFacts(bytes: Uint8Array): ModuleFacts {
  const sections = listSections(bytes);
  const imports = readImports(bytes, sections);
  const names = readFunctionNames(bytes, sections);
  for (const [index, name] of imports.functions.entries()) names.set(index, name);
  const runtimeCalls = new Set<string>();
  const hostCalls: { id: number; arity: number }[] = [];
  for (const call of policyCalls({ bytes, sections, imports: imports.functions.length }, names)) {
    const callee = names.get(call.callee) ?? "";
    const arity = Number(DISPATCHER.exec(callee)?.[1] ?? Number.NaN);
    if (Number.isNaN(arity)) {
      if (!PLANNED.test(callee)) runtimeCalls.add(callee);
      continue;
    }
    const id = call.before.at(-(arity + 2));
    if (id === undefined) throw new RangeError("a host builtin is called by a computed id");
    hostCalls.push({ id, arity });
  }
  const rulePaths = [...names.values()].filter((name) => PLANNED.test(name)).map((name) => name.split(".").slice(2));
  return { memory: imports.memory, runtimeCalls, hostCalls, rulePaths };
}

/** Calls made by the policy's own code: planned rules, the entrypoints' `eval`, and whatever has code but no name. */
function* policyCalls(module: { bytes: Uint8Array; sections: readonly Section[]; imports: number }, names: ReadonlyMap<number, string>) {
  const section = module.sections.find(({ id }) => id === CODE);
  if (section === undefined) throw new RangeError("module has no code");
  const cursor: Cursor = { bytes: module.bytes, at: section.start };
  const count = takeUnsigned(cursor);
  for (let index = module.imports; index < module.imports + count; index += 1) {
    const length = takeUnsigned(cursor);
    const end = cursor.at + length;
    const name = names.get(index);
    if (name === undefined || name === "eval" || PLANNED.test(name)) yield* listCalls(cursor, end);
    cursor.at = end;
  }
}

function readImports(bytes: Uint8Array, sections: readonly Section[]) {
  const section = sections.find(({ id }) => id === IMPORT);
  if (section === undefined) throw new RangeError("module imports nothing");
  const cursor: Cursor = { bytes, at: section.start };
  const functions: string[] = [];
  let memory: ModuleFacts["memory"] | undefined;
  for (let left = takeUnsigned(cursor); left > 0; left -= 1) {
    takeName(cursor);
    const field = takeName(cursor);
    const kind = takeByte(cursor);
    if (kind === 0) {
      takeUnsigned(cursor);
      functions.push(field);
    } else if (kind === 2) memory = takeLimits(cursor);
    else throw new RangeError(`module imports \`${field}\`, which is no function and no memory`);
  }
  if (memory === undefined) throw new RangeError("module does not import its memory");
  return { functions, memory };
}

function takeLimits(cursor: Cursor): ModuleFacts["memory"] {
  const hasMaximum = (takeByte(cursor) & 1) === 1;
  const minimum = takeUnsigned(cursor);
  return hasMaximum ? { minimum, maximum: takeUnsigned(cursor) } : { minimum };
}

function readFunctionNames(bytes: Uint8Array, sections: readonly Section[]): Map<number, string> {
  const names = new Map<number, string>();
  for (const section of sections.filter(({ id }) => id === CUSTOM)) {
    const cursor: Cursor = { bytes, at: section.start };
    if (takeName(cursor) !== "name") continue;
    while (cursor.at < section.end) {
      const kind = takeByte(cursor);
      const end = takeUnsigned(cursor) + cursor.at;
      if (kind === 1) for (let left = takeUnsigned(cursor); left > 0; left -= 1) names.set(takeUnsigned(cursor), takeName(cursor));
      cursor.at = end;
    }
  }
  if (names.size === 0) throw new RangeError("module has no function names, so the builtins in it cannot be checked");
  return names;
}
