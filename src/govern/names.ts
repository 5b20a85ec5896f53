import { visible } from "../call/visible.ts";

/** What may be the public random id of a request, an elevation or a lease: nothing else is ever looked for or joined to a path. */
export const PUBLIC_ID = /^[0-9a-f]{32}$/;

/** A session id as every store accepts it: it may name a file. */
export const SESSION_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

/** Longest agent id, owner and path of a lease's secret, in characters. */
export const MAX_AGENT_ID = 256;
export const MAX_OWNER = 256;
export const MAX_SOURCE = 4_096;

/** Tells whether a text may name the human who holds a key: visible from end to end, at most 256 characters. */
export function isOwner(text: string): boolean {
  return text !== "" && text.length <= MAX_OWNER && text.trim() === text && visible(text) === text;
}

/**
 * An owner's name as it is compared with other owners: case, width, blanks, leading zeros of a number and whatever cannot be seen tell no two humans
 * apart (contract: requester and approver are different owners).
 */
export function foldedOwner(owner: string): string {
  const seen = owner
    .normalize("NFKC")
    .replaceAll(/\s+/g, " ")
    .replaceAll(/[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/gu, "");
  // Up and down again: some letters have their other forms in one direction only.
  const folded = seen.toLowerCase().toUpperCase().toLowerCase().normalize("NFKC");
  return folded.trim().replace(/^(?:uid[ :=]?|[#+])?0*(?=\d+$)/, "");
}
