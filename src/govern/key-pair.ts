import { createPrivateKey, createPublicKey, generateKeyPairSync, sign, verify } from "node:crypto";
import type { KeyObject } from "node:crypto";
import { governError } from "./govern-error.ts";

/** What may name a key. */
export const KEY_NAME = /^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$/;

/** `rgk_<name>_<the 32 bytes of an Ed25519 private key, base64url>`: key file, bearer of the admin API and signing key in one. */
const TOKEN = /^rgk_([a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?)_([A-Za-z0-9_-]{43})$/;

/** PKCS #8 and SPKI wrappings of an Ed25519 key (RFC 8410). */
const PKCS8_PREFIX = Buffer.from("302e020100300506032b657004220420", "hex");
const SPKI_PREFIX = Buffer.from("302a300506032b6570032100", "hex");

/** A human's key, in the hands of that human: it can sign. */
export interface SigningKey {
  readonly name: string;
  /** Raw Ed25519 public key, base64url. */
  readonly publicKey: string;
  /** Ed25519 signature over UTF-8 text, base64url. */
  sign(text: string): string;
}

/** Makes a new key. @returns its token, which is shown or stored once, and its public key */
export function makeKey(name: string): { readonly token: string; readonly publicKey: string } {
  if (!KEY_NAME.test(name)) throw governError("govern.key_invalid", `\`${name}\` cannot name a key: give 1 to 32 of a-z, 0-9 and -`);
  const { privateKey } = generateKeyPairSync("ed25519");
  const seed = privateKey.export({ format: "der", type: "pkcs8" }).subarray(PKCS8_PREFIX.length);
  return { token: `rgk_${name}_${seed.toString("base64url")}`, publicKey: publicOf(privateKey) };
}

/**
 * Reads a key from its token.
 * @returns undefined when the text is no token of a key
 */
export function signingKey(token: string): SigningKey | undefined {
  const [, name, encoded] = TOKEN.exec(token) ?? [];
  if (name === undefined || encoded === undefined) return undefined;
  const seed = Buffer.from(encoded, "base64url");
  const privateKey = createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: "der", type: "pkcs8" });
  return Object.freeze({
    name,
    publicKey: publicOf(privateKey),
    sign: (text: string) => sign(null, Buffer.from(text, "utf8"), privateKey).toString("base64url"),
  });
}

/** Tells whether `signature` (base64url) is that of `publicKey` (raw, base64url) over UTF-8 text; false for whatever is malformed. */
export function isSigned(text: string, signature: string, publicKey: string): boolean {
  try {
    const raw = Buffer.from(publicKey, "base64url");
    const signed = Buffer.from(signature, "base64url");
    // One signature has one text: unused bits and foreign characters would give it others.
    if (raw.length !== 32 || signed.toString("base64url") !== signature) return false;
    const key = createPublicKey({ key: Buffer.concat([SPKI_PREFIX, raw]), format: "der", type: "spki" });
    return verify(null, Buffer.from(text, "utf8"), key, signed);
  } catch {
    return false;
  }
}

function publicOf(privateKey: KeyObject): string {
  const spki = createPublicKey(privateKey).export({ format: "der", type: "spki" });
  return spki.subarray(SPKI_PREFIX.length).toString("base64url");
}
