import type { AdminServer, AdminServerOptions } from "../admin/server.ts";
import { type AdminOptions, resolveAdminOptions } from "../config/admin-options.ts";
import { ConfigError, errorCode } from "../config/config-error.ts";
import { placeholderWarning } from "../config/redis-url.ts";
import { checkWritable } from "../config/state-dir.ts";
import { surroundings } from "../config/sources.ts";
import { openApprovals, sharedOptions } from "./approval-store.ts";
import type { Arguments, Command, Io } from "./command.ts";
import { checkExplanations, lazyExplanations } from "./admin-explain.ts";
import { STATE_DIR } from "./govern.ts";
import { adminOptions } from "./setting-options.ts";
import { regateVersion } from "../config/version.ts";

/** Nobody could sign in without a key on record, so such a server is a mistake (issue 6). An agent's process may not start one either. */
async function checkKeys({ stateDir }: AdminOptions): Promise<number> {
  const [{ listKeys }, { forbidInAgentProcess }] = await Promise.all([import("../govern/keys.ts"), import("../govern/agent-process.ts")]);
  try {
    forbidInAgentProcess(stateDir);
    const usable = listKeys(stateDir).filter(({ revoked_at: at }) => at === undefined).length;
    if (usable > 0) return usable;
  } catch (error) {
    throw new ConfigError("config.option", error instanceof Error ? error.message : String(error), { cause: error });
  }
  throw new ConfigError(
    "config.option",
    `no key is on record in \`${stateDir}\`, so nobody could sign in: make one with \`regate keys create NAME\``,
  );
}

/** A port that is taken, or a socket that is, is a refusal to start. */
async function started(options: AdminServerOptions): Promise<AdminServer> {
  const { startAdminServer } = await import("../admin/server.ts");
  try {
    return await startAdminServer(options);
  } catch (error) {
    const code = errorCode(error);
    const what =
      code === "unknown error"
        ? (error as Error).message
        : `\`--listen\`: \`${options.host}:${options.port}\` cannot be used (${code}): choose another address`;
    throw new ConfigError("config.option", what, { cause: error });
  }
}

async function run(args: Arguments, io: Io): Promise<number> {
  const options = await resolveAdminOptions(args, surroundings());
  const keys = await checkKeys(options);
  checkWritable(options.stateDir, STATE_DIR);
  await checkExplanations(args);
  const { openStores } = await import("../admin/stores.ts");
  const report = (problem: unknown): void => io.note(problem instanceof Error ? problem.message : String(problem));
  const { stateDir, host, port, publicUrl, shared } = options;
  const known = shared === undefined ? undefined : placeholderWarning(shared.url, "--shared-state");
  if (known !== undefined) io.note(known);
  const approvals = await openApprovals(stateDir, shared);
  const explanations = lazyExplanations(args, io.note);
  const server = await started({
    stateDir,
    host,
    port,
    publicUrl,
    webhook: options.webhook,
    ports: { ...openStores({ approvals: approvals.store, now: () => new Date(), report }), explain: explanations.explain },
    version: regateVersion(),
    log: (line) => io.stderr(`${JSON.stringify(line)}\n`),
    note: io.note,
    stop: io.stopSignal(),
  });
  io.note(
    `admin server at ${server.url}${publicUrl === undefined ? "" : ` (${publicUrl})`}, ${keys} key${keys === 1 ? "" : "s"} on record, state in \`${stateDir}\`${shared === undefined ? "" : ", approvals shared by fronts"}`,
  );
  await server.ended;
  approvals.close();
  await explanations.close();
  return 0;
}

/** `regate admin serve`: the API and the page with which humans decide (issue 6; docs/admin.md). */
export const ADMIN_SERVE_COMMAND: Command = {
  path: ["admin", "serve"],
  summary: "serve the API and the web page with which humans look, approve, deny and stop",
  options: [...adminOptions(), ...sharedOptions()],
  examples: [
    ["$0 keys create anna --owner anna", "a key first: without one the server does not start"],
    ["$0 admin serve", "the page is at http://127.0.0.1:8787"],
    ["$0 admin serve --webhook-url https://hooks.example/regate --webhook-secret-file hook.secret", "tell approvers where they are"],
  ],
  run,
};
