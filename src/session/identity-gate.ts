import { isDeclaredReadOnly } from "../call/risk-table.ts";
import type { RiskRows } from "../call/risk-table.ts";
import { IDENTITY_READ_COMMANDS, PROFILE_SWITCHING_COMMANDS } from "./identity-sets.ts";
import { textIn } from "./texts/catalogue.ts";

/** What the decision needs of a session's identity state: a `SessionIdentityState`, or anything of its shape. */
export interface IdentityState {
  readonly identityConfirmed: boolean;
  recordIdentityRead(): void;
  rearm(): void;
}

/** How one call is judged. */
export interface IdentityGateOptions {
  /** The session's one state; changed by switches and reads. */
  readonly state: IdentityState;
  /** Your own declarations by command key, such as `{ "note.read": { read_only: true } }`; they can make a built-in command only stricter. */
  readonly risk?: RiskRows;
  /** Your own switching commands, in place of PROFILE_SWITCHING_COMMANDS. */
  readonly switching?: { has(commandKey: string): boolean };
  /** Your own identity reads, in place of IDENTITY_READ_COMMANDS. */
  readonly reads?: { has(commandKey: string): boolean };
  /** Language of the refusal; English unless given or where there is no text in it. */
  readonly locale?: string;
}

/**
 * Decides on one call of a command by the rule of seed 000, in its order: a switch re-arms the state and is allowed; an identity read is
 * recorded and allowed, whatever its mutability; any other read-only call is allowed and changes nothing; every other call is refused until
 * the identity is confirmed. A command that nobody declares counts as mutating.
 * @param commandKey key of the command, compared exactly
 * @returns the refusal, the same bytes for every command and path; null when the call may go on
 */
export function identityGateRefusal(commandKey: string, options: IdentityGateOptions): string | null {
  const { state, risk, switching = PROFILE_SWITCHING_COMMANDS, reads = IDENTITY_READ_COMMANDS, locale } = options;
  if (switching.has(commandKey)) {
    state.rearm();
    return null;
  }
  if (reads.has(commandKey)) {
    state.recordIdentityRead();
    return null;
  }
  if (isDeclaredReadOnly(commandKey, risk) || state.identityConfirmed) return null;
  return textIn(locale, "identity.unconfirmed");
}
