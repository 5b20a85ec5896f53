import { frozenSet } from "./frozen-set.ts";

/**
 * Commands that change which profile is active: switch, create and activate, enter a sandbox (seed 000). Editing or renaming a profile is
 * none of them. Keys are compared whole and exactly.
 */
export const PROFILE_SWITCHING_COMMANDS = frozenSet(["config.switch", "config.profile.create", "config.profile.sandbox.use"]);

/** Commands whose success is an identity read (seed 000). */
export const IDENTITY_READ_COMMANDS = frozenSet(["config.profile.status", "overview.status"]);

/** Console tools, which have no command key, whose success is an identity read: by wire name (seed 000; design §6). */
export const IDENTITY_READ_CONSOLE_TOOLS = frozenSet(["whoami", "harness_load"]);
