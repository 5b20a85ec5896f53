import { ELSEWHERE } from "./explanations-elsewhere.ts";

/** What a code means to a human, and what would help. */
export interface Explanation {
  readonly meaning: string;
  readonly remedy: string;
}

const NOTHING = "Nothing: the agent has to do something else.";
const AGAIN = "The agent may repeat the call.";
const POLICY_FAULT = "The policy has to be mended; until then the call is refused.";
const ASK_AGAIN = "The agent may repeat the call, and the human is asked again.";
const CHANNEL = "Connect a client that can ask its human (MCP elicitation), or let the policy ask for an approval in its place.";

/** Every code that Regate itself speaks (docs/gate.md), for those who read decisions without the documentation at hand. */
const EXPLANATIONS: Readonly<Record<string, Explanation>> = {
  ...ELSEWHERE,
  "agent.not_entitled": {
    meaning: "The tool is not on the operator's allowlist.",
    remedy: "Add the tool's name to the file of `--agent-tools-file`, if the agent is to have it.",
  },
  "agent.dry_run_required": {
    meaning: "A destructive command has to be tried with dry_run=true here.",
    remedy: "The agent repeats the call with `dry_run: true`, which executes nothing.",
  },
  "agent.engine_unbound": { meaning: "The server runs without a policy engine.", remedy: "Start it with a bundle." },
  "policy.no_decision": { meaning: "The policy gave no decision at all.", remedy: POLICY_FAULT },
  "policy.malformed": { meaning: "The policy gave something that is no decision.", remedy: POLICY_FAULT },
  "policy.default_deny": { meaning: "No rule of the policy allows this call.", remedy: "Somebody has to write a rule that does." },
  "policy.non_boolean_allow": { meaning: "The policy gave an `allow` that is neither true nor false.", remedy: POLICY_FAULT },
  "policy.denied": {
    meaning: "The policy refuses this call; its reasons say why.",
    remedy: "See the reasons: each names its rule, and some what would help.",
  },
  "policy.error": { meaning: "The policy could not be evaluated in time or at all.", remedy: POLICY_FAULT },
  "identity.unconfirmed": {
    meaning: "Nobody has looked in this session whose identity is active.",
    remedy: "The agent reads it (whoami, config.profile.status or overview.status) and repeats the call.",
  },
  "confirm.pending": { meaning: "The agent's human was asked; the answer stands in a later decision.", remedy: "Wait for the answer." },
  "confirm.blocked": { meaning: "The policy does not let anybody confirm this call.", remedy: NOTHING },
  "confirm.no_channel": { meaning: "The policy wants the human's yes, and the client has no way to ask.", remedy: CHANNEL },
  "confirm.declined": { meaning: "The human said no.", remedy: NOTHING },
  "confirm.cancelled": { meaning: "The human closed the question.", remedy: ASK_AGAIN },
  "confirm.no_answer": { meaning: "The human did not answer in time.", remedy: ASK_AGAIN },
  "confirm.malformed": { meaning: "The client's answer was neither yes nor no.", remedy: ASK_AGAIN },
  "confirm.stale": {
    meaning: "The active profile changed while the human was asked.",
    remedy: "The agent reads the identity again and repeats the call.",
  },
  "confirm.state_invalid": { meaning: "The answer belongs to another call, or came too late.", remedy: ASK_AGAIN },
  "approval.pending": {
    meaning: "The call waits for the approval of somebody else.",
    remedy: "Approve or deny the request; then the agent repeats the call.",
  },
  "approval.denied": { meaning: "An approver said no.", remedy: NOTHING },
  "approval.expired": { meaning: "Nobody decided in time.", remedy: "The agent may ask again." },
  "approval.stale": {
    meaning: "Something that was approved has changed since: arguments, files, profile, policy or session.",
    remedy: "The agent asks again, for the call as it is now.",
  },
  "approval.used": { meaning: "The approval was used already; one approval is one run.", remedy: "The agent asks again." },
  "approval.indeterminate": {
    meaning: "The approved call began, and nobody knows how it ended.",
    remedy: "Look what it did. It is never run again on this approval.",
  },
  "approval.unbindable": {
    meaning: "The command runs files that cannot be named beforehand, so nobody could approve exactly them.",
    remedy: "The agent writes the command with fixed file names.",
  },
  "approval.unavailable": {
    meaning: "The policy wants an approval, and here none can be requested.",
    remedy: "Look at the server's notes on stderr.",
  },
  "call.arguments_invalid": { meaning: "The arguments do not fit the tool.", remedy: "The agent corrects them." },
  "call.too_large": { meaning: "The arguments are too large.", remedy: "The agent sends less." },
  "call.changed": {
    meaning: "The arguments were changed after the decision.",
    remedy: "The program that embeds the gate has to leave them alone.",
  },
  "call.timeout": { meaning: "The tool did not finish in time.", remedy: AGAIN },
  "call.cancelled": { meaning: "The client took the call back, or the server ended.", remedy: AGAIN },
  "call.stopped": { meaning: "A human has stopped the session and ended what ran.", remedy: "Somebody with a key resumes it." },
  "call.failed": { meaning: "The tool itself failed.", remedy: "The outcome says how." },
  "call.result_too_large": { meaning: "The tool's result is too large to be handed on.", remedy: "The agent asks for less." },
  "store.unavailable": {
    meaning: "The Redis in which several fronts keep shared state could not be used, so nothing was executed.",
    remedy: "Look at Redis and at the server's notes on stderr; calls go on by themselves when it answers again.",
  },
  "audit.unavailable": {
    meaning: "The decision could not be recorded, so nothing was executed.",
    remedy: "Make room on the disk, or mend the state directory.",
  },
  "gate.stopped": {
    meaning: "A human, or the policy, has stopped this session, its agent or all.",
    remedy: "Somebody with a key resumes it.",
  },
  "gate.closed": { meaning: "The server was ending.", remedy: AGAIN },
  "gate.internal": { meaning: "A fault of Regate itself.", remedy: "Please report it." },
};

/** The explanation of a code; null for an allowed call and for what is not Regate's own. */
export function explanationOf(code: string | null): Explanation | null {
  return code === null || !Object.hasOwn(EXPLANATIONS, code) ? null : (EXPLANATIONS[code] ?? null);
}
