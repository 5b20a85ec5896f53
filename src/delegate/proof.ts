import { createHmac } from "node:crypto";
import { sameHex } from "./fingerprint.ts";

/**
 * The publisher's proof: HMAC-SHA-256, lower-case hex, over the 64 characters of the fingerprint (reference: tool sessions, §14). A live
 * trace id alone cannot be used to run something else.
 * @param key text of the key file without white space at its ends
 */
export function proofOf(key: string, fingerprint: string): string {
  return createHmac("sha256", key).update(fingerprint, "latin1").digest("hex");
}

/** Whether a proof is that of this fingerprint, and the one that was kept when the call was published. */
export function isProven(key: string, fingerprint: string, proofs: readonly unknown[]): boolean {
  const wanted = proofOf(key, fingerprint);
  return proofs.every((proof) => sameHex(proof, wanted));
}
