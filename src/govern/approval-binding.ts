import { hash } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readFileSync, realpathSync, statSync } from "node:fs";
import { canonicalJson } from "../audit/canonical.ts";
import type { JsonObject } from "../call/json.ts";
import { displayText } from "./approval-display.ts";
import type { ApprovalRequester, ApprovalView } from "./approval-view.ts";

/** A file that a call executes or sources, as the call names it. */
export type BoundFile = { readonly kind: "file"; readonly path: string } | { readonly kind: "makefile"; readonly paths: readonly string[] };

/** Everything that an approval is bound to (design §8), before files and folders are looked at. */
export interface BindingFacts {
  readonly tool: string;
  readonly arguments: Readonly<JsonObject>;
  readonly session_id: string;
  readonly agent_id: string;
  readonly requester: ApprovalRequester;
  /** Digest of the bundle that decides. */
  readonly policy: string;
  /** As configured; absent when the server has none. */
  readonly workdir?: string | undefined;
  readonly profile: string | null;
  /** Names of the variables that are put into the command's environment. */
  readonly variables: readonly string[];
  /** What the profile grants of the home directory, one text a path; with what may be done there. */
  readonly home: readonly string[];
  readonly sandbox: Readonly<JsonObject>;
  /** Identity of the upstream server; `""` for a local tool. */
  readonly server: string;
  readonly files: readonly BoundFile[];
}

/** A call that an approval can be bound to. */
export interface Binding {
  /** SHA-256 (hex) of the canonical JSON of all of it. */
  readonly digest: string;
  /** The call alone: tool, arguments, agent, session. */
  readonly call: string;
  readonly workdir: string;
  readonly shown: ApprovalView["shown"];
}

/** A binding, or why the call cannot be bound: then it cannot be approved. */
export type BoundCall = ({ readonly ok: true } & Binding) | { readonly ok: false; readonly problem: string };

const MAX_FILE_BYTES = 64 * 1024 * 1024;
/** A text that nobody reads to its end is no base for a decision, and the store has bounds. */
const MAX_SHOWN_BYTES = 1024 * 1024;
const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;

/**
 * Looks at the files and folders of a call and binds it (trials A01, A02). Two calls have the same digest only if nothing of all that
 * differs. Never throws for what is on the disk.
 * @throws Error for arguments that have no canonical form or cannot be redacted
 */
export function bindCall(facts: BindingFacts): BoundCall {
  const { requester, files: named, workdir, ...rest } = facts;
  const folder = workdir === undefined ? undefined : folderOf(workdir);
  if (folder === null) return { ok: false, problem: "the working directory cannot be read" };
  const files = named.map((file) => fileOf(file, folder?.real_path ?? "/"));
  const missing = files.find((file) => typeof file === "string");
  if (missing !== undefined) return { ok: false, problem: missing };
  const bound = files.filter((file) => typeof file !== "string");
  const call = { tool: facts.tool, arguments: facts.arguments as JsonObject, session_id: facts.session_id, agent_id: facts.agent_id };
  const whole = {
    v: 1,
    ...rest,
    ...call,
    requester: { ...requester },
    variables: [...facts.variables].sort(),
    home: [...facts.home].sort(),
    workdir: folder ?? null,
    files: bound,
  };
  const digest = hash("sha256", canonicalJson(whole as unknown as JsonObject), "hex");
  const shown = displayText({
    ...facts,
    variables: whole.variables,
    home: whole.home,
    workdir: placeText(folder),
    files: bound.flatMap(linesOf),
    digest,
  });
  if (Buffer.byteLength(shown.text) > MAX_SHOWN_BYTES) return { ok: false, problem: "the call is too long to be shown to a human" };
  return { ok: true, digest, call: hash("sha256", canonicalJson(call), "hex"), workdir: folder?.real_path ?? "", shown };
}

interface Place {
  readonly real_path: string;
  readonly dev: string;
  readonly ino: string;
}

function folderOf(path: string): Place | null {
  try {
    const real = realpathSync.native(path);
    const { dev, ino } = statSync(real, { bigint: true });
    return { real_path: real, dev: String(dev), ino: String(ino) };
  } catch {
    return null;
  }
}

function placeText(place: Place | undefined): string {
  return place === undefined ? "" : `${place.real_path} (device ${place.dev}, inode ${place.ino})`;
}

interface FileFacts {
  readonly path: string;
  readonly real_path: string;
  readonly size: number;
  readonly sha256: string;
}

/** What is known of a file; a text when it cannot be bound. */
function fileOf(file: BoundFile, workdir: string): FileFacts | { readonly path: string; readonly absent: true } | string {
  if (file.kind === "file") return read(file.path, workdir)?.facts ?? unreadable(file.path);
  const path = file.paths.find((name) => statSync(placeOf(name, workdir), { throwIfNoEntry: false }) !== undefined);
  if (path === undefined) return file.paths.length === 1 ? unreadable(file.paths[0] ?? "") : { path: file.paths.join("|"), absent: true };
  const found = read(path, workdir);
  if (found === undefined) return unreadable(path);
  return /^[ \t]*[-s]?include[ \t]/m.test(found.bytes.toString("latin1")) ? "its makefile includes other files" : found.facts;
}

function unreadable(path: string): string {
  return `a file that it runs cannot be read: ${JSON.stringify(path)}`;
}

function read(path: string, workdir: string): { readonly facts: FileFacts; readonly bytes: Buffer } | undefined {
  let fd: number | undefined;
  try {
    const real = realpathSync.native(placeOf(path, workdir));
    fd = openSync(real, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    const stats = fstatSync(fd);
    if (!stats.isFile() || stats.size > MAX_FILE_BYTES) return undefined;
    const bytes = readFileSync(fd);
    return { facts: { path, real_path: real, size: bytes.length, sha256: hash("sha256", bytes, "hex") }, bytes };
  } catch {
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/** Not normalised: `link/../x` is what the kernel makes of it. */
function placeOf(path: string, workdir: string): string {
  return path.startsWith("/") ? path : `${workdir}/${path}`;
}

function linesOf(file: FileFacts | { readonly path: string; readonly absent: true }): readonly string[] {
  if ("absent" in file) return [`none of ${file.path}`];
  return [`${file.path} -> ${file.real_path}`, `${file.size} bytes, sha256 ${file.sha256}`];
}
