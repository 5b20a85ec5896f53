import { parseRegoText, writeRegoText } from "./builtins/rego-text.ts";
import { HOST_BUILTINS } from "./builtins/registry.ts";
import { BuiltinLimit, type HostBuiltin, type RegoValue } from "./builtins/values.ts";

/** Addresses in the module's memory: how values come in and go out. */
export interface ValueMemory {
  /** Text of a value in Rego's form. */
  readonly dump: (address: number) => string;
  /** Address of a value made from text in Rego's form. */
  readonly parse: (text: string) => number;
}

/** Calls the builtin that a module knows by `id` with the values at `addresses`; 0 means undefined. */
export type HostCall = (id: number, addresses: readonly number[]) => number;

/**
 * Connects a module's builtin ids with our implementations. An error of a builtin is undefined, as OPA's own host does it; only a limit
 * of ours aborts the evaluation. Implementations were matched when the bundle was admitted, so an unknown id means a foreign module.
 * @param ids the module's `builtins()`: name to id
 * @param memory access to values
 */
export function hostCalls(ids: ReadonlyMap<string, number>, memory: ValueMemory): HostCall {
  const table = new Map<number, HostBuiltin>();
  for (const [name, id] of ids) {
    const builtin = HOST_BUILTINS.get(name);
    if (builtin !== undefined) table.set(id, builtin);
  }
  return (id, addresses) => {
    const builtin = table.get(id);
    if (builtin?.arity !== addresses.length) throw new BuiltinLimit(`builtin ${id} is not provided with ${addresses.length} operands`);
    const operands = addresses.map((address) => parseRegoText(memory.dump(address)));
    const result = callQuietly(builtin, operands);
    return result === undefined ? 0 : memory.parse(writeRegoText(result));
  };
}

function callQuietly(builtin: HostBuiltin, operands: readonly RegoValue[]): RegoValue | undefined {
  try {
    return builtin.call(...operands);
  } catch (error) {
    if (error instanceof BuiltinLimit) throw error;
    return undefined;
  }
}
