import { createHash } from "node:crypto";

/**
 * SHA-256 of bytes, as 64 lower-case hex digits (the form in manifests).
 * @param bytes what to hash
 */
export function sha256Hex(bytes: Uint8Array | string): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/**
 * Digest of a bundle that decisions record: `sha256:` and the hex SHA-256 of the text `<module digest>\n<data digest>\n`,
 * so that neither can change alone (design §2, Engine: "Each decision records the digest of the bundle that made it").
 * @param wasmSha256 SHA-256 of policy.wasm, 64 lower-case hex digits
 * @param dataSha256 SHA-256 of data.json, likewise
 */
export function bundleDigest(wasmSha256: string, dataSha256: string): string {
  return `sha256:${sha256Hex(`${wasmSha256}\n${dataSha256}\n`)}`;
}
