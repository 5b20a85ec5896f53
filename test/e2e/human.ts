import { join } from "node:path";
import { vi } from "vitest";
import { connect, temporaryFolder } from "./client.ts";
import type { Human, Session } from "./client.ts";
import { regate } from "./run.ts";
import type { Ended } from "./run.ts";

/** A human with a key, in a shell beside a server that runs. */
export interface Operator {
  readonly stateDir: string;
  readonly keysDir: string;
  /** Runs a command on the server's state directory with this human's keys. */
  readonly run: (...words: readonly string[]) => Ended;
  /** The same, with the key and a reason; the first word of the output that looks like an id. */
  readonly sign: (...words: readonly string[]) => string;
}

/** Gives a human a key named `anna` on a state directory. */
export function operatorOf(stateDir: string): Operator {
  const keysDir = join(temporaryFolder("regate-human-"), "keys");
  const run = (...words: readonly string[]): Ended => regate([...words, "--state-dir", stateDir, "--keys-dir", keysDir]);
  const made = run("keys", "create", "anna", "--owner", "anna@example.org");
  if (made.status !== 0) throw new Error(made.stderr);
  return {
    stateDir,
    keysDir,
    run,
    sign(...words) {
      const ended = run(...words, "--reason", "a test", "--key", "anna");
      if (ended.status !== 0) throw new Error(ended.stderr);
      return /\b[0-9a-f]{32}\b/.exec(ended.stdout)?.[0] ?? "";
    },
  };
}

/** A session and its human. */
export async function supervised(
  flags: readonly string[] = [],
  parts: { readonly env?: Record<string, string>; readonly human?: Human } = {},
): Promise<{
  readonly session: Session;
  readonly operator: Operator;
  readonly sessionId: string;
}> {
  const session = await connect(["--sandbox", "none", ...flags], parts.env ?? {}, parts.human);
  const sessionId = await vi.waitUntil(() => /session (mcp-\d{19})/.exec(session.stderr())?.[1], { timeout: 30_000 });
  return { session, operator: operatorOf(session.stateDir), sessionId };
}
