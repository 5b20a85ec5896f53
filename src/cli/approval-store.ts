import { DELEGATE_SETTINGS } from "../config/delegate-settings.ts";
import { resolveApprovalOptions, type ApprovalOptions } from "../config/govern-options.ts";
import { SHARED_SETTINGS, type SharedStateLink } from "../config/shared-settings.ts";
import { surroundings } from "../config/sources.ts";
import type { ApprovalStore } from "../govern/approval-store.ts";
import type { Arguments, OptionSpec } from "./command.ts";
import { optionFor } from "./setting-options.ts";

/** The flags that say where fronts share their approvals. */
export function sharedOptions(): readonly OptionSpec[] {
  return [SHARED_SETTINGS.sharedState, DELEGATE_SETTINGS.redisPrefix].map(optionFor);
}

/** An open store of approvals. */
export interface OpenApprovals {
  readonly store: ApprovalStore;
  readonly close: () => void;
}

/** Opens the approvals that fronts share, or those of a state directory; nothing is read or connected yet. */
export async function openApprovals(stateDir: string, shared: SharedStateLink | undefined): Promise<OpenApprovals> {
  if (shared === undefined) {
    const { openApprovalFiles } = await import("../govern/approval-files.ts");
    return { store: openApprovalFiles(stateDir), close: () => undefined };
  }
  const { openSharedApprovals } = await import("../redis/shared-approvals.ts");
  const store = openSharedApprovals(shared, stateDir);
  return { store, close: () => store.close() };
}

/** Where a human who decides finds what is to be decided. */
export interface ApprovalPlaces extends ApprovalOptions {
  readonly store: ApprovalStore;
}

/** Does something with the approvals that a command line means, and closes them. */
export async function withApprovals<Result>(args: Arguments, act: (places: ApprovalPlaces) => Promise<Result>): Promise<Result> {
  const options = await resolveApprovalOptions(args, surroundings());
  const { store, close } = await openApprovals(options.stateDir, options.shared);
  try {
    return await act({ ...options, store });
  } finally {
    close();
  }
}
