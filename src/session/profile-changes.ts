import { randomUUID } from "node:crypto";
import { type HomeGrant, isDescription, isLabel, SANDBOX_PREFIX } from "../call/profile-words.ts";
import { activeOf, MAX_PROFILES } from "./profile-document.ts";
import type { Profile, ProfileDocument } from "./profile-document.ts";
import { profileError } from "./profile-error.ts";

/** What becomes of a store; throws a ProfileError when it cannot. */
export type ProfileChange = (document: ProfileDocument) => ProfileDocument;

/** Makes a profile the active one, also when it is already (design §6, `config.switch`). */
export function switchTo(label: string): ProfileChange {
  return (document) => activated(document, found(document, label));
}

/** Creates a profile and makes it the active one (design §6, `config.profile.create`). */
export function createProfile(label: string): ProfileChange {
  return (document) => {
    if (label.startsWith(SANDBOX_PREFIX)) throw profileError("profiles.label_invalid");
    return added(document, { label, sandbox: false });
  };
}

/** Enters a sandbox, which is made if it is new; its label is `sandbox:<name>` whichever way it is asked for (design §6). */
export function useSandbox(name: string): ProfileChange {
  return (document) => {
    const label = sandboxLabel(name);
    const known = document.profiles.find((profile) => profile.label === label);
    return known === undefined ? added(document, { label, sandbox: true }) : activated(document, known);
  };
}

/** Gives a profile another label; the active profile stays the active one, so this is no switch (seed 000). */
export function renameProfile(label: string, newLabel: string): ProfileChange {
  return (document) => {
    const profile = found(document, label);
    const wanted = profile.sandbox ? sandboxLabel(newLabel) : newLabel;
    if (!profile.sandbox && newLabel.startsWith(SANDBOX_PREFIX)) throw profileError("profiles.label_invalid");
    checkFree(
      wanted,
      document.profiles.filter(({ id }) => id !== profile.id),
    );
    return replaced(document, { ...profile, label: wanted });
  };
}

/** Changes the description of a profile: of the active one unless a label is given. */
export function editProfile(label: string | undefined, description: string | undefined): ProfileChange {
  return (document) => {
    const profile = label === undefined ? activeOf(document) : found(document, label);
    if (profile === undefined) throw profileError("profiles.none_active");
    return replaced(document, { ...profile, description: description ?? profile.description });
  };
}

/** A profile as the operator's file declares it. */
export interface DeclaredProfile {
  readonly label: string;
  readonly environment: Readonly<Record<string, string>>;
  /** What commands see of the home directory; never stored, so that a grant that is taken back is gone. */
  readonly home?: readonly HomeGrant[];
}

/** Takes over what the operator declares: new profiles are added, known ones get their variables; nothing is activated or removed. */
export function provision(declared: readonly DeclaredProfile[]): ProfileChange {
  return (document) => declared.reduce(provisionOne, document);
}

function provisionOne(document: ProfileDocument, { label, environment }: DeclaredProfile): ProfileDocument {
  const known = document.profiles.find((profile) => profile.provisioned === label) ?? document.profiles.find((p) => p.label === label);
  if (known !== undefined) return replaced(document, { ...known, environment: { ...environment }, provisioned: label });
  return { ...document, profiles: [...document.profiles, made(document, { label, sandbox: false, environment, provisioned: label })] };
}

function found({ profiles }: ProfileDocument, label: string): Profile {
  const profile = profiles.find((candidate) => candidate.label === label);
  if (profile === undefined) throw profileError("profiles.unknown_label");
  return profile;
}

function activated(document: ProfileDocument, { id }: Profile): ProfileDocument {
  return { ...document, active: id, switches: document.switches + 1 };
}

function added(document: ProfileDocument, parts: { readonly label: string; readonly sandbox: boolean }): ProfileDocument {
  const profile = made(document, parts);
  return activated({ ...document, profiles: [...document.profiles, profile] }, profile);
}

function made(document: ProfileDocument, parts: Partial<Profile> & { readonly label: string; readonly sandbox: boolean }): Profile {
  if (document.profiles.length >= MAX_PROFILES) throw profileError("profiles.too_many");
  checkFree(parts.label, document.profiles);
  return { id: randomUUID(), description: "", environment: {}, provisioned: null, ...parts };
}

function replaced(document: ProfileDocument, profile: Profile): ProfileDocument {
  if (!isDescription(profile.description)) throw profileError("profiles.label_invalid");
  return { ...document, profiles: document.profiles.map((old) => (old.id === profile.id ? profile : old)) };
}

/** Labels that a human could take for one another are one label: letter case and width do not tell them apart. */
function checkFree(label: string, others: readonly Profile[]): void {
  if (!isLabel(label)) throw profileError("profiles.label_invalid");
  if (others.some((other) => folded(other.label) === folded(label))) throw profileError("profiles.label_taken");
}

function folded(label: string): string {
  return label.normalize("NFKC").toLowerCase();
}

function sandboxLabel(name: string): string {
  const bare = name.startsWith(SANDBOX_PREFIX) ? name.slice(SANDBOX_PREFIX.length) : name;
  if (!isLabel(bare)) throw profileError("profiles.label_invalid");
  return `${SANDBOX_PREFIX}${bare}`;
}
