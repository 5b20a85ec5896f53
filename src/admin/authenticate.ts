import { timingSafeEqual } from "node:crypto";
import { makeKey, signingKey } from "../govern/key-pair.ts";
import { readKey } from "../govern/keys.ts";
import type { Approver } from "./ports.ts";

const BEARER = /^Bearer ([A-Za-z0-9_-]{1,128})$/;

/** A key that nobody has: what is compared when a token is none, or names no key on record. */
const NOBODY = makeKey("nobody");

/**
 * The key that an `Authorization` header brings, if it is on record and not revoked. The public key of the token is compared with the one
 * on record in constant time, and the same steps are gone through for every token.
 * @throws GovernError `govern.store_unreadable` when the record cannot be read
 */
export function authenticate(stateDir: string, authorization: string | undefined): Approver | undefined {
  const [, token = ""] = BEARER.exec(authorization ?? "") ?? [];
  const key = signingKey(token) ?? signingKey(NOBODY.token);
  if (key === undefined) return undefined;
  const known = readKey(stateDir, key.name);
  const isSame = timingSafeEqual(bytesOf(key.publicKey), bytesOf(known?.public_key ?? NOBODY.publicKey));
  return isSame && known !== undefined && known.revoked_at === undefined ? Object.freeze({ ...key, owner: known.owner }) : undefined;
}

/** Public keys are 32 bytes, 43 characters. */
function bytesOf(publicKey: string): Buffer {
  return Buffer.from(publicKey, "latin1");
}
