import { type CommandSlots, createCommandSlots } from "./command-slots.ts";
import { limitLauncher } from "./limits.ts";
import type { Launcher } from "./launch.ts";
import { sandboxLauncher, type SandboxGrant, type SandboxOptions } from "./sandbox.ts";
import type { CommandLimits } from "./sandbox-entry.ts";
import { shellError } from "./shell-error.ts";

/** What policy says about the sandbox of one command (design §2); nothing said: no network, the working directory can be written. */
export interface SandboxWish {
  readonly network?: boolean;
  readonly write?: "workdir" | "none";
}

/** What one program sees beside that; see `SandboxGrant`. */
export type Loan = Pick<SandboxGrant, "shown" | "lent" | "home">;

/** How all commands of one server are confined. */
export interface Confinement {
  /** What `input.environment.sandbox` says, and what is true of every command. */
  readonly kind: "bwrap" | "none";
  /** Why there is no sandbox. */
  readonly reason?: string;
  /** Places for commands that run at the same time. */
  readonly slots: CommandSlots;
  /**
   * The launcher of one command.
   * @throws Error `shell.sandbox_missing` when policy demands what only a sandbox can keep, and there is none
   */
  launcherFor(wish: SandboxWish | undefined, loan?: Loan): Launcher;
}

/** Confines in bubblewrap; a sandbox that cannot be made later is an error of that command, never a run without it. */
export function sandboxed(options: SandboxOptions, atOnce: number): Confinement {
  return {
    kind: "bwrap",
    slots: createCommandSlots(atOnce),
    launcherFor: (wish, loan) => sandboxLauncher(options, { network: wish?.network === true, writable: wish?.write !== "none", ...loan }),
  };
}

/** Sets limits only. */
export function unconfined(options: { readonly limits: CommandLimits; readonly atOnce: number; readonly reason: string }): Confinement {
  const launcher = limitLauncher(options.limits);
  return {
    kind: "none",
    reason: options.reason,
    slots: createCommandSlots(options.atOnce),
    launcherFor(wish) {
      if (wish?.network === false || wish?.write === "none") {
        throw shellError("shell.sandbox_missing", "policy demands a sandbox for this command, and there is none");
      }
      return launcher;
    },
  };
}
