const MEMORY_SECTION = 5;
/** Size of a page of WebAssembly memory. */
export const PAGE_BYTES = 65_536;

/** Unsigned LEB128 at `at` → [value, position after it]. */
function readLeb(bytes: Uint8Array, start: number): [value: number, end: number] {
  let value = 0;
  for (let at = start; at < bytes.length && at < start + 5; at++) {
    const byte = bytes[at] ?? 0;
    value += (byte & 0x7f) * 2 ** (7 * (at - start));
    if (byte < 0x80) return [value, at + 1];
  }
  throw new Error("module: malformed number");
}

function writeLeb(value: number): number[] {
  const rest = Math.floor(value / 128);
  return rest === 0 ? [value] : [(value % 128) + 128, ...writeLeb(rest)];
}

/** Body of a memory section with a maximum; throws when what is there is not one plain memory that fits below it. */
function limitedSection(body: Uint8Array, pages: number): number[] {
  const [count, flagsAt] = readLeb(body, 0);
  const flags = body[flagsAt] ?? 0xff;
  // Flag 1 says that there is a maximum; any other bit is a shared or a 64-bit memory.
  if (count !== 1 || flags > 1) throw new Error("module: expected one plain memory");
  const [minimum, afterMinimum] = readLeb(body, flagsAt + 1);
  const [maximum, end] = flags === 1 ? readLeb(body, afterMinimum) : [Infinity, afterMinimum];
  if (end !== body.length) throw new Error("module: malformed memory section");
  if (minimum > pages) throw new Error(`module: needs ${minimum} pages, more than the maximum of ${pages}`);
  return [1, 1, ...writeLeb(minimum), ...writeLeb(Math.min(maximum, pages))];
}

/**
 * Rewrites the memory section of a module so that its one memory has a maximum: Go's linker gives it none, and a worker's resource limits
 * do not cover WebAssembly memory (reference: WebAssembly core specification, binary format of modules).
 * @param module bytes of a module that defines exactly one memory; a smaller maximum that it has stays
 * @param pages the maximum in pages of 64 KiB
 * @throws Error when the module has no memory of its own, more than one, or one that is shared, 64-bit or larger than that
 */
export function limitMemory(module: Uint8Array, pages: number): Uint8Array<ArrayBuffer> {
  const parts: Uint8Array[] = [module.subarray(0, 8)];
  let found = 0;
  for (let at = 8; at < module.length;) {
    const [size, body] = readLeb(module, at + 1);
    const end = body + size;
    if (end > module.length) throw new Error("module: malformed section");
    if (module[at] === MEMORY_SECTION) {
      found++;
      const section = limitedSection(module.subarray(body, end), pages);
      parts.push(Uint8Array.from([MEMORY_SECTION, ...writeLeb(section.length), ...section]));
    } else parts.push(module.subarray(at, end));
    at = end;
  }
  if (found !== 1) throw new Error("module: expected one memory section");
  return Buffer.concat(parts);
}
