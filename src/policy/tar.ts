import { BundleError } from "./bundle-error.ts";

/** Limits of an unpacked archive (reference/opa-wasm.md §8). */
export const TAR_LIMITS = Object.freeze({ files: 1000, bytes: 64 * 1024 * 1024 });

const BLOCK = 512;
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

interface Header {
  readonly name: string;
  readonly size: number;
  readonly type: string;
}

/**
 * Reads a tar archive strictly: regular files and folders only. Links, devices, paths that leave the archive, duplicates, names that differ
 * only in letter case or Unicode form, data after the end, and archives without an end are refused (reference/opa-wasm.md §8, reader tests).
 * A leading `/` or `./` is the root of the archive, as `opa build` writes it; nothing is ever written to disk.
 * @param bytes the archive, uncompressed
 * @returns file contents by path without a leading slash, such as `policy.wasm`
 * @throws {BundleError} `bundle.unreadable`, `bundle.too_large`
 */
export function readTar(bytes: Uint8Array): ReadonlyMap<string, Uint8Array> {
  if (bytes.length > TAR_LIMITS.bytes)
    throw new BundleError("bundle.too_large", `archive is larger than ${TAR_LIMITS.bytes} bytes unpacked`);
  const files = new Map<string, Uint8Array>();
  const seen = new Set<string>();
  let longName: string | undefined;
  let offset = 0;
  for (;;) {
    const block = blockAt(bytes, offset);
    if (isZero(block)) break;
    const header = readHeader(block);
    const start = offset + BLOCK;
    if (start + header.size > bytes.length) throw refused("archive is cut off");
    const content = bytes.subarray(start, start + header.size);
    offset = start + Math.ceil(header.size / BLOCK) * BLOCK;
    if (header.type === "x") {
      if (longName !== undefined) throw refused("archive has two extended headers for one file");
      longName = readPaxPath(content);
      continue;
    }
    addEntry({ files, seen }, { ...header, name: longName ?? header.name }, content);
    longName = undefined;
  }
  if (longName !== undefined) throw refused("archive ends after an extended header");
  refuseTrailingData(bytes, offset);
  return files;
}

function addEntry(archive: { files: Map<string, Uint8Array>; seen: Set<string> }, header: Header, content: Uint8Array): void {
  const path = cleanPath(header.name);
  if (header.type === "5") {
    if (header.size !== 0) throw refused(`folder \`${path}\` has content`);
    return;
  }
  if (header.type !== "0" && header.type !== "\0") throw refused(`\`${path}\` is not a regular file (type \`${printable(header.type)}\`)`);
  if (path === "") throw refused("archive has a file without a name");
  const twin = path.normalize("NFC").toLowerCase();
  if (archive.seen.has(twin)) throw refused(`archive has \`${path}\` twice (names are compared without letter case)`);
  archive.seen.add(twin);
  if (archive.seen.size > TAR_LIMITS.files) throw new BundleError("bundle.too_large", `archive has more than ${TAR_LIMITS.files} files`);
  archive.files.set(path, content);
}

function readHeader(block: Uint8Array): Header {
  const magic = latin1(block.subarray(257, 263));
  if (magic !== "ustar\0" && magic !== "ustar ") throw refused("not a tar archive");
  if (octal(block.subarray(148, 156)) !== checksum(block)) throw refused("tar header has a wrong checksum");
  const prefix = magic === "ustar\0" ? text(block.subarray(345, 500)) : "";
  const name = text(block.subarray(0, 100));
  return {
    name: prefix === "" ? name : `${prefix}/${name}`,
    size: octal(block.subarray(124, 136)),
    type: latin1(block.subarray(156, 157)),
  };
}

/** A relative path without `.`/`..`, empty parts, backslashes, control characters or drive letters; `""` for the root itself. */
function cleanPath(name: string): string {
  const path = name.replace(/^\.?\//, "").replace(/\/$/, "");
  if (path === "" || path === ".") return "";
  const parts = path.split("/");
  const bad = parts.some((part) => part === "" || part === "." || part === "..");
  // oxlint-disable-next-line no-control-regex -- control characters in names are what this refuses
  if (bad || /[\\\u0000-\u001f\u007f]|^[A-Za-z]:/.test(path)) throw refused(`archive has the path \`${printable(name)}\``);
  return path;
}

/** The `path` record of a PAX extended header; sizes, links and sparse files there are refused, times and owners ignored. */
function readPaxPath(content: Uint8Array): string | undefined {
  let path: string | undefined;
  let offset = 0;
  while (offset < content.length) {
    const space = content.indexOf(0x20, offset);
    const length = space < 0 ? Number.NaN : Number(latin1(content.subarray(offset, space)));
    const end = offset + length;
    if (!Number.isSafeInteger(length) || length < 5 || end > content.length || content[end - 1] !== 0x0a)
      throw refused("malformed extended header");
    const record = text(content.subarray(space + 1, end - 1));
    const equals = record.indexOf("=");
    const key = record.slice(0, equals);
    if (equals < 1 || key === "size" || key === "linkpath" || key.startsWith("GNU.sparse"))
      throw refused(`extended header has \`${printable(key)}\``);
    if (key === "path" && path !== undefined) throw refused("extended header has two paths");
    if (key === "path") path = record.slice(equals + 1);
    offset = end;
  }
  return path;
}

function refuseTrailingData(bytes: Uint8Array, offset: number): void {
  if (!isZero(blockAt(bytes, offset + BLOCK))) throw refused("archive has data after its end");
  if (!isZero(bytes.subarray(offset))) throw refused("archive has data after its end");
}

function blockAt(bytes: Uint8Array, offset: number): Uint8Array {
  if (offset + BLOCK > bytes.length) throw refused("archive is cut off");
  return bytes.subarray(offset, offset + BLOCK);
}

function isZero(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0);
}

function checksum(block: Uint8Array): number {
  return block.reduce((sum, byte, index) => sum + (index >= 148 && index < 156 ? 0x20 : byte), 0);
}

function octal(field: Uint8Array): number {
  const digits = latin1(field)
    .replace(/^ +/, "")
    .replace(/[ \0]+$/, "");
  if (!/^[0-7]+$/.test(digits)) throw refused("tar header has a malformed number");
  return Number.parseInt(digits, 8);
}

function text(field: Uint8Array): string {
  const end = field.indexOf(0);
  try {
    return decoder.decode(end < 0 ? field : field.subarray(0, end));
  } catch (error) {
    throw new BundleError("bundle.unreadable", "archive has a name that is not UTF-8", error);
  }
}

function latin1(field: Uint8Array): string {
  return String.fromCharCode(...field);
}

function printable(value: string): string {
  return value.replaceAll(/[^\x20-\x7e]/g, "?");
}

function refused(message: string): BundleError {
  return new BundleError("bundle.unreadable", message);
}
