import { httpError } from "../admin/http-error.ts";
import type { AdminPorts } from "../admin/ports.ts";
import { resolveServeOptions } from "../config/options.ts";
import { surroundings } from "../config/sources.ts";
import type { Engine } from "../policy/engine.ts";
import type { Arguments } from "./command.ts";
import { confinementOptions } from "./confinement-options.ts";
import { given } from "./given.ts";
import { loadBundle } from "./load-bundle.ts";
import { shellTables, shellTablesProblem } from "./shell-tables.ts";

/** Explanations that load what they need with the first question. */
export interface Explanations {
  readonly explain: NonNullable<AdminPorts["explain"]>;
  readonly close: () => Promise<void>;
}

interface Loaded {
  readonly engine: Engine;
  readonly explain: NonNullable<AdminPorts["explain"]>;
}

/** An interpreter of its own shows the conditions of each (200 MB): one is made at a time, and so many may wait or be made. */
const MAX_WAITING = 8;

/** Flags that are there for explanations alone: what they name is looked at before the server starts. */
const EXPLAINED = ["bundle", "workdir", "agent-tools-file"] as const;

/** @throws ConfigError when a flag that says about which server is explained names what is not there */
export async function checkExplanations(args: Arguments): Promise<void> {
  if (EXPLAINED.some((name) => args.values.has(name))) await resolveServeOptions(args, surroundings(), shellTablesProblem);
}

/**
 * Explains calls of a server with the settings of this process, as `regate explain` does.
 * A bundle that cannot be loaded makes the answer 503, and is tried again with the next question.
 */
export function lazyExplanations(args: Arguments, note: (line: string) => void): Explanations {
  let loading: Promise<Loaded> | undefined;
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  const explained: Explanations["explain"] = async (call) => {
    loading ??= load(args, note);
    try {
      return await (await loading).explain(call);
    } catch (error) {
      loading = undefined;
      throw httpError(503, `explanations are not available: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  return {
    async explain(call) {
      if (waiting >= MAX_WAITING) throw httpError(429, "too many requests");
      waiting += 1;
      const answer = last.then(() => explained(call)).finally(() => (waiting -= 1));
      last = answer.catch(() => undefined);
      return await answer;
    },
    async close() {
      const loaded = await loading?.catch(() => undefined);
      loaded?.engine.close();
    },
  };
}

async function load(args: Arguments, note: (line: string) => void): Promise<Loaded> {
  const options = await resolveServeOptions(args, surroundings(), shellTablesProblem);
  const [{ explainOnce }, { openConfinement }, engine] = await Promise.all([
    import("../server/explain-once.ts"),
    import("../shell/open-confinement.ts"),
    loadBundle(options.bundle, { ...options.policy, ...given("deadlineMs", options.policyDeadlineMs) }),
  ]);
  const [{ kind: sandbox }, tables] = await Promise.all([openConfinement(confinementOptions(options)), shellTables(options)]);
  return {
    engine,
    explain: async (call) => (await explainOnce({ ...options, engine, sandbox, shellTables: tables, report: note }, call)).explanation,
  };
}
