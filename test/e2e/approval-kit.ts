import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildBundle } from "../policy/support/build.ts";
import { connect, temporaryFolder, type Session } from "./client.ts";
import { cleanEnv, PROGRAM, regate, type Ended } from "./run.ts";

/** Wants an approval of run_shell when the command says so, and of list_sessions; allows everything else. */
const REGO = `package gate

plain := {"allow": allowed, "reasons": set(), "effect": "none", "confirm": "none"}

default allowed := false

allowed if input.command != ""

decision := object.union(plain, asked)

default asked := {}

asked := {"approval": {"ttl_seconds": 300}, "warnings": {{"code": "demo.ask", "rule": "demo", "message": "a second person has to look at this"}}} if wanted

wanted if {
	input.command == "run_shell"
	contains(input.arguments.command, "# ask")
}

wanted if input.command == "list_sessions"
`;

let built: Promise<Uint8Array> | undefined;

/** The policy as a bundle, for the test that runs. */
export async function askBundle(): Promise<string> {
  built ??= buildBundle({ rego: REGO });
  const bundle = join(temporaryFolder(), "ask.tar.gz");
  writeFileSync(bundle, await built);
  return bundle;
}

/** A session under a policy that asks for approvals, and two humans who are not the session's user. */
export async function openSession(...flags: string[]) {
  const bundle = await askBundle();
  const keysDir = join(temporaryFolder(), "keys");
  const session = await connect(["--bundle", bundle, "--keys-dir", keysDir, ...flags]);
  const places = ["--state-dir", session.stateDir, "--keys-dir", keysDir];
  for (const name of ["anna", "otto"]) regate(["keys", "create", name, "--owner", `${name}@example.org`, ...places]);
  const decide = (words: readonly string[]): Ended => regate(["approvals", ...words, ...places]);
  return { session, places, keysDir, decide, state: stateReader(session, places) };
}

/** Reads the state of a request as a human does. */
function stateReader(_session: Session, places: readonly string[]): (id: string) => string {
  return (id) => (JSON.parse(regate(["approvals", "show", id, "--json", ...places]).stdout) as { state: string }).state;
}

/** Files of requests so far. */
export function pendingFiles(stateDir: string): readonly string[] {
  const folder = join(stateDir, "approvals/pending");
  return existsSync(folder) ? readdirSync(folder) : [];
}

/** Runs `regate` beside others; gives exit code and stderr. */
export async function regateBeside(words: readonly string[]): Promise<{ readonly code: number; readonly stderr: string }> {
  const child = spawn(process.execPath, [PROGRAM, ...words], { env: cleanEnv(), stdio: ["ignore", "ignore", "pipe"] });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (stderr += chunk));
  const [code] = (await once(child, "close")) as [number];
  return { code, stderr };
}

/** The id in an answer that asks for an approval. */
export function idIn({ meta }: { readonly meta: Record<string, unknown> }): string {
  const decision = meta["regate/decision"] as { resolve?: string } | undefined;
  return decision?.resolve?.replace("approval:", "") ?? "";
}
