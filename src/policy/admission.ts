import { HOST_BUILTINS } from "./builtins/registry.ts";
import { BundleError } from "./bundle-error.ts";
import { createInstance, type PolicyImage, type PolicyInstance } from "./instance.ts";
import { MAX_MEMORY_PAGES } from "./limits.ts";
import { NATIVE_BUILTINS, NEVER_ALLOWED, WRONG_IN_WASM } from "./wasm-builtins.ts";
import { readFacts, type ModuleFacts } from "./wasm-facts.ts";

/** A module that may be used: what its instances are made of, one instance, and what is known about it. */
export interface AdmittedModule {
  readonly image: PolicyImage;
  readonly instance: PolicyInstance;
  readonly facts: ModuleFacts;
}

/** Functions of OPA's ABI 1.3 that a policy module exports; all of them, so that a foreign module is noticed. */
const EXPORTS = [
  "builtins entrypoints eval memory opa_eval opa_wasm_abi_version opa_wasm_abi_minor_version",
  "opa_eval_ctx_new opa_eval_ctx_set_input opa_eval_ctx_set_data opa_eval_ctx_set_entrypoint opa_eval_ctx_get_result",
  "opa_malloc opa_free opa_value_free opa_heap_ptr_get opa_heap_ptr_set",
  "opa_heap_blocks_stash opa_heap_blocks_restore opa_heap_stash_clear",
  "opa_json_parse opa_json_dump opa_value_parse opa_value_dump opa_value_add_path opa_value_remove_path",
].flatMap((line) => line.split(" "));

const IMPORTS: ReadonlySet<string> = new Set([
  "env.memory:memory",
  "env.opa_abort:function",
  "env.opa_println:function",
  ...[0, 1, 2, 3, 4].map((arity) => `env.opa_builtin${arity}:function`),
]);

const ABI = { version: 1, minor: 3 } as const;
/** Pages beyond the module's own minimum, for the data and small inputs. */
const SPARE_PAGES = 2;

/**
 * Compiles and checks a policy module (design §2, Engine: refused at load when ABI, entrypoints or builtins do not fit).
 * Nothing of the policy is evaluated yet.
 * @param wasm policy.wasm
 * @param data data.json, already checked
 * @throws {BundleError} `bundle.module`, `bundle.builtin`
 */
export async function admitModule(wasm: Uint8Array, data: Uint8Array): Promise<AdmittedModule> {
  const module = await compile(wasm);
  checkSurface(module);
  const facts = factsOf(wasm);
  const { minimum, maximum } = facts.memory;
  const most = Math.min(maximum ?? MAX_MEMORY_PAGES, MAX_MEMORY_PAGES);
  if (minimum > most) throw new BundleError("bundle.module", `module needs ${minimum} pages of memory, more than ${most}`);
  const image = { module, data, memory: { initial: Math.min(minimum + SPARE_PAGES, most), maximum: most } };
  const instance = start(image);
  if (instance.abi.version !== ABI.version || !(instance.abi.minor >= ABI.minor)) {
    throw new BundleError(
      "bundle.module",
      `module has ABI version ${instance.abi.version}.${instance.abi.minor}, not ${ABI.version}.${ABI.minor}`,
    );
  }
  checkBuiltins(usedBuiltins(facts, instance));
  checkHostCalls(facts, instance);
  return { image, instance, facts };
}

/**
 * Names of all builtins that the module's own code uses, native and host ones.
 * @param facts read from the binary
 * @param instance the running module, which lists what it asks its host for
 */
export function usedBuiltins(facts: ModuleFacts, instance: PolicyInstance): readonly string[] {
  const native = Array.from(NATIVE_BUILTINS).filter(([, runtime]) => facts.runtimeCalls.has(runtime));
  return [...native.map(([name]) => name), ...instance.builtins.keys()];
}

/**
 * Refuses builtins that no policy may use and those that the WASM runtime gets wrong (design §2).
 * @param names builtins in use
 * @throws {BundleError} `bundle.builtin`
 */
export function checkBuiltins(names: readonly string[]): void {
  for (const name of names) {
    const never = NEVER_ALLOWED.get(name);
    if (never !== undefined) throw new BundleError("bundle.builtin", `builtin \`${name}\` is not allowed: ${never}`);
    const wrong = WRONG_IN_WASM.get(name);
    if (wrong !== undefined) throw new BundleError("bundle.builtin", `builtin \`${name}\` is wrong in WASM: ${wrong.reason}`);
  }
}

function checkHostCalls(facts: ModuleFacts, instance: PolicyInstance): void {
  for (const name of instance.builtins.keys()) {
    if (!HOST_BUILTINS.has(name)) throw new BundleError("bundle.builtin", `builtin \`${name}\` is not provided`);
  }
  const names = new Map(Array.from(instance.builtins, ([name, id]) => [id, name]));
  for (const { id, arity } of facts.hostCalls) {
    const name = names.get(id);
    if (name === undefined) throw new BundleError("bundle.builtin", `module calls builtin ${id}, which it does not name`);
    if (HOST_BUILTINS.get(name)?.arity !== arity)
      throw new BundleError("bundle.builtin", `builtin \`${name}\` is called with ${arity} operands`);
  }
}

async function compile(wasm: Uint8Array): Promise<WebAssembly.Module> {
  try {
    return await WebAssembly.compile(wasm as Uint8Array<ArrayBuffer>);
  } catch (error) {
    throw new BundleError("bundle.module", "policy.wasm is cut off or not a WebAssembly module", error);
  }
}

function checkSurface(module: WebAssembly.Module): void {
  for (const { module: from, name, kind } of WebAssembly.Module.imports(module)) {
    if (!IMPORTS.has(`${from}.${name}:${kind}`))
      throw new BundleError("bundle.module", `module imports \`${from}.${name}\`, which is not in OPA's ABI`);
  }
  const exported = new Set(WebAssembly.Module.exports(module).map(({ name }) => name));
  const missing = EXPORTS.find((name) => !exported.has(name));
  if (missing !== undefined) throw new BundleError("bundle.module", `module does not export \`${missing}\`: not an OPA policy of ABI 1.3`);
}

function factsOf(wasm: Uint8Array): ModuleFacts {
  try {
    return readFacts(wasm);
  } catch (error) {
    throw new BundleError("bundle.module", `module cannot be checked: ${(error as Error).message}`, error);
  }
}

function start(image: PolicyImage): PolicyInstance {
  try {
    return createInstance(image);
  } catch (error) {
    throw new BundleError("bundle.module", "module does not start", error);
  }
}
