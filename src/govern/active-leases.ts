import { statSync } from "node:fs";
import { join } from "node:path";
import { governError } from "./govern-error.ts";
import { readSecret } from "./lease-secret.ts";
import { isLeaseActive, readLease, readLeases } from "./leases.ts";
import type { LeaseRecord } from "./leases.ts";
import { keepSecret } from "./live-secrets.ts";
import type { Caller } from "./scope.ts";

/** What policy sees of a lease: metadata, never the secret (design §2, `input.lease`). */
export interface ActiveLease {
  readonly id: string;
  readonly source_type: "env" | "file";
  readonly source_name: string;
  readonly destination: string;
  readonly ttl_seconds: number;
}

/** The leases of one session. */
export interface Leases {
  /** Those in force, the latest grant first; one for each variable. */
  active(): readonly ActiveLease[];
  /**
   * Reads the secrets of leases that policy saw, right before a command starts, and remembers them for redaction.
   * @returns variables of the command
   * @throws GovernError when one is no longer in force or its secret cannot be read; the message has neither
   */
  environmentOf(leases: readonly ActiveLease[]): Readonly<Record<string, string>>;
}

/** What the leases of a session are looked up with. */
export interface LeasesOptions {
  readonly stateDir: string;
  readonly caller: Caller;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly now: () => Date;
  readonly report: (problem: string) => void;
}

/** A folder that changed so shortly ago may change again without another time stamp. */
const SETTLED_MS = 100;

/** Watches the leases of one session. A file that is no lease grants nothing, and is reported once. */
export function openLeases({ stateDir, caller, environment, now, report }: LeasesOptions): Leases {
  const folder = join(stateDir, "leases");
  const reported = new Set<string>();
  let known: { readonly stamp: string; readonly records: readonly LeaseRecord[] } | undefined;

  const look = (stamp: string): readonly LeaseRecord[] => {
    const { records, unreadable } = readLeases(stateDir);
    for (const name of unreadable.filter((file) => !reported.has(file))) {
      reported.add(name);
      report(`\`${join(folder, name)}\` is not a lease: it grants nothing`);
    }
    const own = records.filter(({ session }) => session === caller.sessionId).toReversed();
    // A file whose mode is mended does not change the folder.
    known = unreadable.length === 0 ? { stamp, records: own } : undefined;
    return own;
  };
  return {
    active() {
      const stats = statSync(folder, { throwIfNoEntry: false });
      if (stats === undefined) return [];
      const stamp = `${stats.ino}:${stats.mtimeMs}`;
      const isSettled = known?.stamp === stamp && Math.abs(Date.now() - stats.mtimeMs) > SETTLED_MS;
      return latestOf((isSettled ? (known?.records ?? []) : look(stamp)).filter((record) => isLeaseActive(record, now())));
    },
    environmentOf(leases) {
      const variables: Record<string, string> = {};
      for (const { id, destination } of leases) {
        const record = readLease(stateDir, id);
        if (record === undefined || record.session !== caller.sessionId || !isLeaseActive(record, now()))
          throw governError("govern.not_found", `lease \`${id}\` is no longer in force`);
        variables[destination] = keepSecret(readSecret(record, environment));
      }
      return variables;
    },
  };
}

/** One lease a variable, and nothing in it but what policy may see. */
function latestOf(records: readonly LeaseRecord[]): readonly ActiveLease[] {
  const seen = new Set<string>();
  const latest = records.filter(({ destination }) => !seen.has(destination) && seen.add(destination));
  return latest.map(({ id, source_type, source_name, destination, ttl_seconds }) => ({
    id,
    source_type,
    source_name,
    destination,
    ttl_seconds,
  }));
}
