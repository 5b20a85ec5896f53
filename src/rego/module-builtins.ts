/** The few exports of a policy module that are needed here (OPA's ABI 1.x). */
interface Exports {
  readonly builtins: () => number;
  readonly opa_json_dump: (value: number) => number;
}

const FIRST_PAGES = 64;
const MOST_PAGES = 32_768;

/**
 * Names of the builtins that a policy module takes from its host, sorted.
 * @param wasm a module that OPA has just built: it is instantiated, nothing of the policy runs
 */
export function hostBuiltins(wasm: Uint8Array): readonly string[] {
  const module = new WebAssembly.Module(wasm as Uint8Array<ArrayBuffer>);
  for (let initial = FIRST_PAGES; ; initial *= 8) {
    const memory = new WebAssembly.Memory({ initial });
    try {
      return readNames(module, memory);
    } catch (error) {
      // The module wants more memory than that; how much is written nowhere that JavaScript could read.
      if (!(error instanceof WebAssembly.LinkError) || initial >= MOST_PAGES) throw error;
    }
  }
}

function readNames(module: WebAssembly.Module, memory: WebAssembly.Memory): readonly string[] {
  const never = (): never => {
    throw new Error("a policy module called its host while its builtins were read");
  };
  const env = Object.fromEntries(WebAssembly.Module.imports(module).map(({ name, kind }) => [name, kind === "memory" ? memory : never]));
  const exports = new WebAssembly.Instance(module, { env }).exports as unknown as Exports;
  const text = cString(memory, exports.opa_json_dump(exports.builtins()));
  return Object.keys(JSON.parse(text) as Record<string, number>).sort();
}

function cString(memory: WebAssembly.Memory, at: number): string {
  const bytes = new Uint8Array(memory.buffer);
  return new TextDecoder().decode(bytes.subarray(at, bytes.indexOf(0, at)));
}
