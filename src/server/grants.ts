import { RUN_SHELL } from "../call/make-call.ts";
import type { ToolCall } from "../call/tool-call.ts";
import type { ActiveElevation } from "../govern/active-elevations.ts";
import type { ActiveLease } from "../govern/active-leases.ts";
import type { PolicyInputParts } from "../policy/build-input.ts";
import type { Core } from "./core.ts";

/** What humans have granted that bears on one call, when it is judged. */
export interface Grants {
  readonly elevation?: ActiveElevation | undefined;
  /** What a command gets, the latest first; nothing for other tools. */
  readonly leases: readonly ActiveLease[];
}

/** No grant at all. */
const NO_GRANTS: Grants = Object.freeze({ leases: Object.freeze([]) });

/** What bears on a call now; whatever cannot be read grants nothing. */
export function grantsOf({ options: { authorities }, report }: Core, { tool }: ToolCall): Grants {
  if (authorities === undefined) return NO_GRANTS;
  try {
    const elevation = authorities.elevations.active(tool);
    const leases = tool === RUN_SHELL ? authorities.leases.active() : [];
    return elevation === undefined && leases.length === 0 ? NO_GRANTS : { elevation, leases };
  } catch (error) {
    report(error);
    return NO_GRANTS;
  }
}

/** The leases as policy sees them. */
export function leaseOf({ leases }: Grants): PolicyInputParts["lease"] {
  if (leases.length === 0) return undefined;
  const [lease, ...others] = leases.map((each) => ({ ...each }));
  return lease === undefined || others.length === 0 ? lease : { ...lease, others };
}

/** Counts the use of an elevation that covers an admitted call, before the call runs; false when there was none left to count. */
export function takeUse({ options: { authorities }, report }: Core, { elevation }: Grants): boolean {
  if (elevation === undefined || !elevation.isCounted) return true;
  try {
    return authorities?.elevations.use(elevation.id) === true;
  } catch (error) {
    report(error);
    return false;
  }
}
