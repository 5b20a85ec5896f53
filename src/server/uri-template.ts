/** Longest uri that is compared with templates: a list may hold many of them. */
const MAX_URI = 65_536;

/**
 * Whether a uri fits a URI template of a server: its literals in order, with at least one character for each expression between them.
 * Linear in both, whatever a hostile server or client wrote (CVE-2026-0621): neither a pattern made from the template nor a text search
 * that starts over.
 * @param template as the server lists it, such as `file:///{path}`
 * @param uri as the client asks for it; one longer than 65,536 characters fits no template with expressions
 */
export function fitsTemplate(template: string, uri: string): boolean {
  const parts = template.split(/\{[^{}]*\}/);
  if (parts.length === 1) return template === uri;
  if (uri.length > MAX_URI || template.length > 2 * MAX_URI) return false;
  const [head = "", ...rest] = parts;
  const tail = rest.pop() ?? "";
  if (!uri.startsWith(head) || !uri.endsWith(tail)) return false;
  let at = head.length;
  const end = uri.length - tail.length;
  for (const literal of rest) {
    const found = indexIn(uri, literal, { from: at + 1, end });
    if (found === -1) return false;
    at = found + literal.length;
  }
  return at < end;
}

/** Where a literal first stands between two places of a text (Knuth, Morris and Pratt), or -1. */
function indexIn(text: string, literal: string, { from, end }: { readonly from: number; readonly end: number }): number {
  if (from + literal.length > end) return -1;
  if (literal === "") return from;
  const borders = bordersOf(literal);
  let matched = 0;
  for (let at = from; at < end; at += 1) {
    while (matched > 0 && text[at] !== literal[matched]) matched = borders[matched - 1] ?? 0;
    if (text[at] === literal[matched]) matched += 1;
    if (matched === literal.length) return at - matched + 1;
  }
  return -1;
}

/** For each beginning of a literal the length of its longest other beginning that also ends it. */
function bordersOf(literal: string): Int32Array {
  const borders = new Int32Array(literal.length);
  let matched = 0;
  for (let at = 1; at < literal.length; at += 1) {
    while (matched > 0 && literal[at] !== literal[matched]) matched = borders[matched - 1] ?? 0;
    if (literal[at] === literal[matched]) matched += 1;
    borders[at] = matched;
  }
  return borders;
}
