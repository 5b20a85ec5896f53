/**
 * Why a bundle was refused. Stable: callers switch on the code, people read the message.
 * - `bundle.missing`: nothing is there, or a file that must be there is not
 * - `bundle.unreadable`: it is there, but is no regular file, no gzip, no tar, cut off, or breaks a rule of the container
 * - `bundle.too_large`: a size or a count passes its limit
 * - `bundle.manifest`: `manifest.json` or `.manifest` is malformed or contradicts the module
 * - `bundle.digest`: a file is not the one that the manifest or the operator names
 * - `bundle.module`: not a policy module that this engine can run (ABI, exports, imports, memory)
 * - `bundle.entrypoint`: an entrypoint is missing
 * - `bundle.builtin`: a builtin is not provided, is never allowed, or is one that the WASM runtime gets wrong
 * - `bundle.data`: data outside `regate`, overlapping a package, missing, or not strict JSON
 * - `bundle.self_test`: the loaded policy does not decide what it must
 */
export type BundleErrorCode =
  | "bundle.missing"
  | "bundle.unreadable"
  | "bundle.too_large"
  | "bundle.manifest"
  | "bundle.digest"
  | "bundle.module"
  | "bundle.entrypoint"
  | "bundle.builtin"
  | "bundle.data"
  | "bundle.self_test";

/** A bundle that must not be used (design §2, Engine: refused at load; the server does not start). */
export class BundleError extends Error {
  override readonly name = "BundleError";
  /** What kind of fault it is. */
  readonly code: BundleErrorCode;

  /**
   * @param code stable code
   * @param message one line, lower case, no final period
   * @param cause the error underneath, if there is one
   */
  constructor(code: BundleErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}
