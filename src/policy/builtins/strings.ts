import { createHash } from "node:crypto";
import { isString, itemsOf, number, type HostBuiltin, type RegoValue } from "./values.ts";

/** `strings.any_prefix_match(search, base)`: whether a searched string begins with one of the base strings. */
export const anyPrefixMatch: HostBuiltin = {
  arity: 2,
  call: (search, base) => anyMatch(search, base, (text, affix) => text.startsWith(affix)),
};

/** `strings.any_suffix_match(search, base)`: likewise for ends. */
export const anySuffixMatch: HostBuiltin = {
  arity: 2,
  call: (search, base) => anyMatch(search, base, (text, affix) => text.endsWith(affix)),
};

/** `strings.count(text, search)`: occurrences that do not overlap; an empty search is found around every character. */
export const count: HostBuiltin = {
  arity: 2,
  call: (text, search) => {
    if (!isString(text) || !isString(search)) return undefined;
    return number(search === "" ? Array.from(text).length + 1 : text.split(search).length - 1);
  },
};

/** `indexof_n(text, search)`: positions of all occurrences in characters, overlapping ones too; an empty search is an error. */
export const indexofN: HostBuiltin = {
  arity: 2,
  call: (text, search) => {
    if (!isString(text) || !isString(search) || search === "") return undefined;
    const positions: RegoValue[] = [];
    let characters = 0;
    let last = 0;
    for (let at = text.indexOf(search); at >= 0; at = text.indexOf(search, at + 1)) {
      characters += lengthOf(text.slice(last, at));
      last = at;
      positions.push(number(characters));
    }
    return positions;
  },
};

/** `hex.encode(text)`: UTF-8 bytes as lower-case hex digits. */
export const hexEncode: HostBuiltin = {
  arity: 1,
  call: (text) => (isString(text) ? Buffer.from(text, "utf8").toString("hex") : undefined),
};

/** `hex.decode(text)`: the text of the bytes; a byte that is not UTF-8 shows as U+FFFD, as in OPA's output. */
export const hexDecode: HostBuiltin = {
  arity: 1,
  call: (text) => (isString(text) && /^([0-9A-Fa-f]{2})*$/.test(text) ? decodeUtf8(Buffer.from(text, "hex")) : undefined),
};

/** `crypto.sha256(text)`: digest of the UTF-8 bytes as lower-case hex digits. */
export const sha256: HostBuiltin = {
  arity: 1,
  call: (text) => (isString(text) ? createHash("sha256").update(text, "utf8").digest("hex") : undefined),
};

function anyMatch(
  search: RegoValue | undefined,
  base: RegoValue | undefined,
  match: (text: string, affix: string) => boolean,
): boolean | undefined {
  const [texts, affixes] = [stringsOf(search), stringsOf(base)];
  if (texts === undefined || affixes === undefined) return undefined;
  return texts.some((text) => affixes.some((affix) => match(text, affix)));
}

function stringsOf(value: RegoValue | undefined): readonly string[] | undefined {
  const items = isString(value) ? [value] : itemsOf(value);
  return items?.every(isString) === true ? items : undefined;
}

function lengthOf(text: string): number {
  let length = 0;
  for (const _ of text) length += 1;
  return length;
}

/** Go replaces each byte that begins no valid character by U+FFFD, one by one. */
function decodeUtf8(bytes: Buffer): string {
  let text = "";
  for (let at = 0; at < bytes.length;) {
    const length = [1, 2, 3, 4].find((size) => isCharacter(bytes.subarray(at, at + size)));
    text += length === undefined ? "\ufffd" : bytes.toString("utf8", at, at + length);
    at += length ?? 1;
  }
  return text;
}

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function isCharacter(bytes: Buffer): boolean {
  try {
    return Array.from(strict.decode(bytes)).length === 1;
  } catch {
    return false;
  }
}
