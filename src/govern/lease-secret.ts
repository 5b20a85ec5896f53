import { governError } from "./govern-error.ts";
import type { LeaseRecord } from "./leases.ts";
import { readStoreFile } from "./store-file.ts";

/** Longest secret, in bytes: a variable of a process cannot be much longer. */
const MAX_BYTES = 65_536;
/** Shortest secret, in characters: a shorter one could not be kept out of the output without tearing it. */
const MIN_LENGTH = 8;

/**
 * Reads the secret of a lease where it lies: a variable of the server, or a file 0600 of its own user, without the LF at its end.
 * @throws GovernError `govern.invalid`, `govern.store_unreadable`; no message has the secret, the name of its source or its path
 */
export function readSecret(
  { id, source_type: type, source_name: name }: Pick<LeaseRecord, "id" | "source_type" | "source_name">,
  environment: Readonly<Record<string, string | undefined>>,
): string {
  const secret = type === "env" ? environment[name] : fileText(id, name);
  if (secret === undefined || secret === "") throw governError("govern.invalid", `the secret of lease \`${id}\` is not there`);
  const isFit =
    secret.length >= MIN_LENGTH && Buffer.byteLength(secret) <= MAX_BYTES && !secret.includes("\0") && !secret.includes("\u{fffd}");
  if (!isFit)
    throw governError(
      "govern.invalid",
      `the secret of lease \`${id}\` cannot be used: it needs ${MIN_LENGTH} characters, at most ${MAX_BYTES} bytes of UTF-8 text and no NUL`,
    );
  return secret;
}

function fileText(id: string, path: string): string | undefined {
  try {
    return readStoreFile(path, MAX_BYTES)?.replace(/\r?\n$/, "");
  } catch {
    throw governError(
      "govern.store_unreadable",
      `the secret of lease \`${id}\` cannot be read: its file must be a regular one of this user, 0600, and small`,
    );
  }
}
