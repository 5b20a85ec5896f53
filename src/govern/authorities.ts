import { openElevations } from "./active-elevations.ts";
import type { Elevations } from "./active-elevations.ts";
import { openLeases } from "./active-leases.ts";
import type { Leases } from "./active-leases.ts";
import { openStops } from "./active-stops.ts";
import type { Stops } from "./active-stops.ts";
import type { Caller } from "./scope.ts";

/** What humans have granted to, or taken from, one session. */
export interface Authorities {
  readonly elevations: Elevations;
  readonly stops: Stops;
  readonly leases: Leases;
}

/** What the authorities of a session are looked up with. */
export interface AuthoritiesOptions {
  readonly stateDir: string;
  readonly caller: Caller;
  /** The server's environment, from which `env:` leases take their secrets. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly now: () => Date;
  /** Takes one line for the operator. */
  readonly report: (problem: string) => void;
}

/** Opens the authorities of one session; calls without any grant cost a look for files that are not there. */
export function openAuthorities(options: AuthoritiesOptions): Authorities {
  return { elevations: openElevations(options), stops: openStops(options), leases: openLeases(options) };
}
