import { hash } from "node:crypto";
import { lstatSync } from "node:fs";
import { join } from "node:path";
import { makePrivateFolder } from "../files/private-folder.ts";
import { deviceError } from "./device-error.ts";
import { replaceStoreFile } from "./store-file.ts";

/** Where a bearer is, and by what it is known: its SHA-256, lower-case hex. */
export interface StoredToken {
  readonly token_file: string;
  readonly fingerprint: string;
}

/** Path of a session's bearer. */
export function tokenPath(stateDir: string, sessionId: string): string {
  return join(stateDir, "tokens", `${sessionId}.token`);
}

/**
 * Refuses a place where no bearer may be written: a link, a folder, anything but a regular file or nothing.
 * @throws DeviceLoginError
 */
export function checkTokenPlace(stateDir: string, sessionId: string): string {
  const path = tokenPath(stateDir, sessionId);
  try {
    makePrivateFolder(join(stateDir, "tokens"));
  } catch (error) {
    throw deviceError("the folder of tokens cannot be used", error);
  }
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found !== undefined && !found.isFile()) throw deviceError("the place of the token is not a regular file");
  return path;
}

/** Writes a bearer, the exact bytes and nothing else, to a file 0600 that is whole whenever it can be seen. */
export function storeToken(stateDir: string, sessionId: string, bearer: string): StoredToken {
  const path = checkTokenPlace(stateDir, sessionId);
  try {
    replaceStoreFile(path, bearer);
  } catch (error) {
    throw deviceError("the token could not be stored", error);
  }
  return { token_file: path, fingerprint: hash("sha256", bearer, "hex") };
}
