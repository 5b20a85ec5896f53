import { ADMIN_SERVE_COMMAND } from "./admin-serve.ts";
import { APPROVALS_COMMANDS } from "./approvals.ts";
import type { Command } from "./command.ts";
import { COMPLETION_COMMANDS } from "./completion.ts";
import { EXPLAIN_COMMAND } from "./explain.ts";
import { DECIDE_COMMAND } from "./decide.ts";
import { DEMO_COMMAND } from "./demo.ts";
import { ELEVATION_COMMANDS } from "./elevation.ts";
import { KEYS_COMMANDS } from "./keys.ts";
import { LEASE_COMMANDS } from "./lease.ts";
import { STOP_COMMANDS } from "./stop.ts";
import { POLICY_BUILD_COMMAND } from "./policy-build.ts";
import { POLICY_CHECK_COMMAND } from "./policy-check.ts";
import { POLICY_FMT_COMMAND } from "./policy-fmt.ts";
import { POLICY_TEST_COMMAND } from "./policy-test.ts";
import { PINS_COMMANDS } from "./pins.ts";
import { PROXY_COMMAND } from "./proxy.ts";
import { RISK_SCAFFOLD_COMMAND } from "./risk-scaffold.ts";
import { RECORDINGS_COMMANDS } from "./recordings.ts";
import { SERVE_COMMAND } from "./serve.ts";
import { SHELL_CLASSIFY_COMMAND } from "./shell-classify.ts";
import { DLQ_LIST_COMMAND, DLQ_REPLAY_COMMAND } from "./worker-dlq.ts";
import { WORKER_COMMAND } from "./worker.ts";
import { WRAP_COMMAND } from "./wrap.ts";

/** Every command of the program, in the order of help. Their files load nothing heavy before they run. */
export const COMMANDS: readonly Command[] = [
  SERVE_COMMAND,
  PROXY_COMMAND,
  ...PINS_COMMANDS,
  RISK_SCAFFOLD_COMMAND,
  WRAP_COMMAND,
  ADMIN_SERVE_COMMAND,
  WORKER_COMMAND,
  DLQ_LIST_COMMAND,
  DLQ_REPLAY_COMMAND,
  DECIDE_COMMAND,
  EXPLAIN_COMMAND,
  POLICY_BUILD_COMMAND,
  POLICY_CHECK_COMMAND,
  POLICY_TEST_COMMAND,
  POLICY_FMT_COMMAND,
  SHELL_CLASSIFY_COMMAND,
  DEMO_COMMAND,
  ...APPROVALS_COMMANDS,
  ...KEYS_COMMANDS,
  ...ELEVATION_COMMANDS,
  ...STOP_COMMANDS,
  ...LEASE_COMMANDS,
  ...RECORDINGS_COMMANDS,
  ...COMPLETION_COMMANDS,
];
