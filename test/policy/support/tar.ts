/** One entry of a tar archive as a test wants it, right or wrong. */
export interface Entry {
  readonly name: string;
  readonly content?: Uint8Array | string;
  readonly type?: string;
  readonly prefix?: string;
  readonly size?: string;
  readonly checksum?: string;
  readonly magic?: string;
}

const BLOCK = 512;

/** Writes a tar archive by hand, so that each field can be wrong. */
export function writeTar(entries: readonly Entry[], end: Uint8Array = new Uint8Array(2 * BLOCK)): Uint8Array {
  return Buffer.concat([...entries.map(writeEntry), end]);
}

/** A PAX record: its own length, a key and a value. */
export function paxRecord(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`;
  const digits = String(Buffer.byteLength(rest) + 2).length;
  return `${Buffer.byteLength(rest) + digits}${rest}`;
}

function writeEntry(entry: Entry): Buffer {
  const content = Buffer.from(entry.content ?? "");
  const header = Buffer.alloc(BLOCK);
  header.write(entry.name, 0, "utf8");
  header.write("0000600\0", 100, "latin1");
  header.write(entry.size ?? `${content.length.toString(8).padStart(11, "0")}\0`, 124, "latin1");
  header.write("00000000000\0", 136, "latin1");
  header.write("        ", 148, "latin1");
  header.write(entry.type ?? "0", 156, "latin1");
  header.write(entry.magic ?? "ustar\x0000", 257, "latin1");
  header.write(entry.prefix ?? "", 345, "utf8");
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(entry.checksum ?? `${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return Buffer.concat([header, content, Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK)]);
}
