// The linker gives the module's memory no maximum; a worker's resource limits do not cover WebAssembly memory either.

const MEMORY_SECTION = 5;

/** Unsigned LEB128 at `at` → [value, position after it]. */
function readLeb(bytes, at) {
  let value = 0;
  for (let shift = 0; ; shift += 7) {
    const byte = bytes[at++];
    value += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) return [value, at];
  }
}

function writeLeb(value) {
  const out = [];
  do {
    const rest = Math.floor(value / 128);
    out.push((value % 128) + (rest > 0 ? 128 : 0));
    value = rest;
  } while (value > 0);
  return out;
}

/**
 * Rewrites the memory section of a module so that its one memory has a maximum.
 * @param module bytes of a module that defines exactly one memory; a maximum that it has is replaced
 * @param pages the maximum in pages of 64 KiB
 */
export function limitMemory(module, pages) {
  for (let at = 8; at < module.length;) {
    const id = module[at];
    const [size, body] = readLeb(module, at + 1);
    if (id !== MEMORY_SECTION) {
      at = body + size;
      continue;
    }
    const [count, flagsAt] = readLeb(module, body);
    const [minimum] = readLeb(module, flagsAt + 1);
    const end = body + size;
    if (count !== 1 || module[flagsAt] > 1) throw new Error("module: expected one plain memory");
    if (minimum > pages) throw new Error(`module: needs ${minimum} pages, more than the maximum of ${pages}`);
    const section = [1, 1, ...writeLeb(minimum), ...writeLeb(pages)];
    return Buffer.concat([
      module.subarray(0, at),
      Buffer.from([MEMORY_SECTION, ...writeLeb(section.length), ...section]),
      module.subarray(end),
    ]);
  }
  throw new Error("module: no memory section");
}
