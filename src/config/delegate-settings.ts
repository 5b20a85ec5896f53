import type { Setting } from "./setting.ts";

/** Longest lifetime, in seconds; a week. */
const MAX_SECONDS = 604_800;

function within(max: number, unit = ""): (value: string) => string | undefined {
  return (value) => {
    const number = /^[1-9][0-9]{0,8}$/.test(value) ? Number(value) : 0;
    return number >= 1 && number <= max ? undefined : `must be a whole number${unit} from 1 to ${max}`;
  };
}

const seconds = within(MAX_SECONDS, " of seconds");

function prefixProblem(value: string): string | undefined {
  return /^[A-Za-z0-9._{}-]{1,64}$/.test(value) ? undefined : "must be 1 to 64 of letters, digits and `._{}-`";
}

/** The seven numbers of the horizon: none has a default (seed 002). */
export const HORIZON_SETTINGS = {
  turnCheckpointTtl: {
    name: "turn-checkpoint-ttl",
    kind: "number",
    env: ["REGATE_TURN_CHECKPOINT_TTL"],
    placeholder: "SECONDS",
    describe: "how long the outer turn's checkpoint lives; needed for delegated execution",
    problem: seconds,
  },
  executionLease: {
    name: "execution-lease",
    kind: "number",
    env: ["REGATE_EXECUTION_LEASE"],
    placeholder: "SECONDS",
    describe: "the outer turn's final execution lease; needed for delegated execution",
    problem: seconds,
  },
  claimMinIdle: {
    name: "claim-min-idle",
    kind: "number",
    env: ["REGATE_CLAIM_MIN_IDLE"],
    placeholder: "SECONDS",
    describe: "when a call counts as abandoned; also the lease of a claim; needed for delegated execution",
    problem: seconds,
  },
  claimSweep: {
    name: "claim-sweep",
    kind: "number",
    env: ["REGATE_CLAIM_SWEEP"],
    placeholder: "SECONDS",
    describe: "how often workers look for abandoned calls; needed for delegated execution",
    problem: seconds,
  },
  maxDeliveries: {
    name: "max-deliveries",
    kind: "number",
    env: ["REGATE_MAX_DELIVERIES"],
    placeholder: "TIMES",
    describe: "how often one call is handed out before it becomes a dead letter; needed for delegated execution",
    problem: within(MAX_SECONDS),
  },
  maxExec: {
    name: "max-exec",
    kind: "number",
    env: ["REGATE_MAX_EXEC"],
    placeholder: "SECONDS",
    describe: "how long one delegated call may run; needed for delegated execution",
    problem: seconds,
  },
  proofTtl: {
    name: "proof-ttl",
    kind: "number",
    env: ["REGATE_PROOF_TTL"],
    placeholder: "SECONDS",
    describe: "the horizon: lifetime of session record, proof, ledger and reply lane; needed for delegated execution",
    problem: seconds,
  },
} as const satisfies Record<string, Setting>;

/** What front and workers of delegated execution need (design §9; docs/scale.md). */
export const DELEGATE_SETTINGS = {
  toolsBackend: {
    name: "tools-backend",
    kind: "text",
    env: ["REGATE_TOOLS_BACKEND"],
    placeholder: "URL",
    describe: "Redis through which dangerous tools are sent to `regate worker` (default: none, they run here)",
  },
  redis: {
    name: "redis",
    kind: "text",
    env: ["REGATE_REDIS"],
    placeholder: "URL",
    describe: "Redis from which a worker takes its calls, as redis:// or rediss:// with user and password",
  },
  redisPrefix: {
    name: "redis-prefix",
    kind: "text",
    env: ["REGATE_REDIS_PREFIX"],
    placeholder: "PREFIX",
    describe: "first part of all names in Redis; in a cluster a hash tag such as {sg} (default: sg)",
    problem: prefixProblem,
  },
  proofKeyFile: {
    name: "proof-key-file",
    kind: "text",
    env: ["REGATE_PROOF_KEY_FILE"],
    placeholder: "FILE",
    describe: "key of the publisher's proof, the same for fronts and workers; readable by its owner only",
  },
  ...HORIZON_SETTINGS,
  queueLimit: {
    name: "queue-limit",
    kind: "number",
    env: ["REGATE_QUEUE_LIMIT"],
    placeholder: "CALLS",
    describe: "calls that may wait or run in the tools service; further ones are refused as busy (default: 10000)",
    problem: within(1_000_000),
  },
  workerName: {
    name: "worker-name",
    kind: "text",
    env: ["REGATE_WORKER_NAME"],
    placeholder: "NAME",
    describe: "name of the worker in its group; keep it over restarts (default: <host>-<pid>)",
    problem: (value) => (/^[A-Za-z0-9._-]{1,64}$/.test(value) ? undefined : "must be 1 to 64 of letters, digits and `._-`"),
  },
  callsAtOnce: {
    name: "calls-at-once",
    kind: "number",
    env: ["REGATE_CALLS_AT_ONCE"],
    placeholder: "CALLS",
    describe: "calls that a worker runs at the same time (default: 8)",
    problem: within(256),
  },
  healthPort: {
    name: "health-port",
    kind: "number",
    env: ["REGATE_HEALTH_PORT"],
    placeholder: "PORT",
    describe: "loopback port of a worker's /healthz, /readyz and /metrics (default: none)",
    problem: within(65_535),
  },
} as const satisfies Record<string, Setting>;

/** Settings that mean something to `regate worker` only. */
export const WORKER_ONLY = ["redis", "workerName", "callsAtOnce", "healthPort"] as const;
/** Settings that mean something to a front only. */
export const FRONT_ONLY = ["toolsBackend", "queueLimit", "sharedState", "sharedSession"] as const;
