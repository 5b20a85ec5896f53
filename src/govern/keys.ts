import { rmSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { forbidInAgentProcess } from "./agent-process.ts";
import { governError } from "./govern-error.ts";
import { isSigned, KEY_NAME, makeKey, signingKey } from "./key-pair.ts";
import type { SigningKey } from "./key-pair.ts";
import { isOwner, MAX_OWNER } from "./names.ts";
import { createStoreFile, listStoreFolder, readStoreFile, replaceStoreFile } from "./store-file.ts";

const record = z.strictObject({
  v: z.literal(1),
  name: z.string().regex(KEY_NAME),
  owner: z.string().min(1).max(MAX_OWNER),
  public_key: z.string().regex(/^[A-Za-z0-9_-]{43}$/),
  created_at: z.iso.datetime(),
  revoked_at: z.iso.datetime().optional(),
});

/** What everybody may know of a named key (`keys/<name>.json` in the state directory). */
export type KeyRecord = Readonly<z.infer<typeof record>>;

/** Where keys are: public records in the state directory, each private key in a file of its human's own folder. */
export interface KeyPlaces {
  readonly stateDir: string;
  readonly keysDir: string;
}

const publicPath = (stateDir: string, name: string): string => join(stateDir, "keys", `${name}.json`);
const privatePath = (keysDir: string, name: string): string => join(keysDir, `${name}.key`);

/**
 * Makes a named Ed25519 key: its public record, and its token in a file 0600 of its own.
 * @param owner the human who holds it; an approver and the requester must be different owners (design §8)
 * @returns path of the private file
 * @throws GovernError `govern.key_exists`, `govern.key_invalid`, `govern.decision_forbidden`, `govern.store_unwritable`
 */
export function createKey(places: KeyPlaces, key: { readonly name: string; readonly owner: string; readonly now: Date }): string {
  forbidInAgentProcess(places.stateDir);
  if (!isOwner(key.owner)) throw governError("govern.key_invalid", "the owner must be visible text of at most 256 characters");
  const { token, publicKey } = makeKey(key.name);
  const path = privatePath(places.keysDir, key.name);
  const text = textOf({ v: 1, name: key.name, owner: key.owner, public_key: publicKey, created_at: key.now.toISOString() });
  if (readKey(places.stateDir, key.name) !== undefined)
    throw governError("govern.key_exists", `a key named \`${key.name}\` exists: choose another name`);
  if (!createStoreFile(path, `${token}\n`)) throw governError("govern.key_exists", `\`${path}\` exists: choose another name`);
  let isOnRecord = false;
  try {
    isOnRecord = createStoreFile(publicPath(places.stateDir, key.name), text);
    if (!isOnRecord) throw governError("govern.key_exists", `a key named \`${key.name}\` exists: choose another name`);
  } finally {
    // A private part that nobody knows of would only keep its name from the next one.
    if (!isOnRecord) rmSync(path, { force: true });
  }
  return path;
}

/** Every key on record, by name. @throws GovernError `govern.store_unreadable` */
export function listKeys(stateDir: string): readonly KeyRecord[] {
  const names = listStoreFolder(join(stateDir, "keys"), /^[a-z0-9-]+\.json$/).map((file) => file.slice(0, -".json".length));
  return names.flatMap((name) => readKey(stateDir, name) ?? []);
}

/** One key on record. @throws GovernError `govern.store_unreadable` */
export function readKey(stateDir: string, name: string): KeyRecord | undefined {
  if (!KEY_NAME.test(name)) return undefined;
  const path = publicPath(stateDir, name);
  const text = readStoreFile(path);
  if (text === undefined) return undefined;
  const parsed = record.safeParse(jsonOf(text));
  if (!parsed.success || parsed.data.name !== name) throw governError("govern.store_unreadable", `\`${path}\` is not a key record`);
  return Object.freeze(parsed.data);
}

/** Revokes a key: what it signed before stays valid, nothing that it signs later does. */
export function revokeKey(stateDir: string, name: string, now: Date): KeyRecord {
  forbidInAgentProcess(stateDir);
  const known = readKey(stateDir, name);
  if (known === undefined) throw governError("govern.key_unknown", `no key is named \`${name}\` (see \`regate keys list\`)`);
  if (known.revoked_at !== undefined) return known;
  const revoked = { ...known, revoked_at: now.toISOString() };
  replaceStoreFile(publicPath(stateDir, name), textOf(revoked));
  return revoked;
}

/**
 * Opens a human's key for signing, and checks that it is the one on record.
 * @throws GovernError `govern.decision_forbidden`, `govern.key_unknown`, `govern.key_revoked`, `govern.key_invalid`
 */
export function openKey(places: KeyPlaces, name: string): SigningKey & { readonly owner: string } {
  if (!KEY_NAME.test(name)) throw governError("govern.key_unknown", `no key is named \`${name}\` (see \`regate keys list\`)`);
  const path = privatePath(places.keysDir, name);
  const token = readStoreFile(path, 256)?.trim();
  if (token === undefined)
    throw governError("govern.key_unknown", `no key is at \`${path}\`: make one with \`regate keys create ${name}\``);
  return keyOfToken(places.stateDir, token);
}

/**
 * The key that a token holds, if it is on record and not revoked.
 * @throws GovernError `govern.decision_forbidden`, `govern.key_unknown`, `govern.key_revoked`, `govern.key_invalid`
 */
export function keyOfToken(stateDir: string, token: string): SigningKey & { readonly owner: string } {
  forbidInAgentProcess(stateDir);
  const key = signingKey(token);
  if (key === undefined) throw governError("govern.key_invalid", "this is not a key of Regate");
  const known = readKey(stateDir, key.name);
  // The same answer whether the name or the key is wrong; what is compared is a signature, not a secret.
  if (known === undefined || !isSigned("regate/key/v1", key.sign("regate/key/v1"), known.public_key)) {
    throw governError("govern.key_unknown", `this key is not on record in \`${stateDir}\`: a server there would not know who signed`);
  }
  if (known.revoked_at !== undefined) throw governError("govern.key_revoked", `key \`${key.name}\` is revoked`);
  return Object.freeze({ ...key, owner: known.owner });
}

function textOf(value: KeyRecord): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
