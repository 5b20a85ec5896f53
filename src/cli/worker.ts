import { insideWorkdirWarning } from "../config/inside-workdir.ts";
import { resolveDelegateOptions, type DelegateOptions } from "../config/delegate-options.ts";
import { FRONT_ONLY } from "../config/delegate-settings.ts";
import { HTTP_SETTINGS } from "../config/http-settings.ts";
import { resolveServeOptions } from "../config/options.ts";
import { placeholderWarning } from "../config/redis-url.ts";
import { SETTINGS } from "../config/settings.ts";
import { surroundings } from "../config/sources.ts";
import { TOKEN_SETTINGS } from "../config/token-settings.ts";
import { regateVersion } from "../config/version.ts";
import type { Arguments, Command, Io } from "./command.ts";
import { checkHorizon } from "./horizon-check.ts";
import { given } from "./given.ts";
import { loadBundle } from "./load-bundle.ts";
import { checkSandbox, confinementOf, faultNotes } from "./serve.ts";
import { settingOptions } from "./setting-options.ts";
import { listenRefusal } from "./start-http.ts";
import { shellTables, shellTablesProblem } from "./shell-tables.ts";

/** Beyond the time that running calls have: for their replies and for closing. */
const CLOSE_MS = 5_000;

async function run(args: Arguments, io: Io): Promise<number> {
  const around = surroundings();
  // `worker` needs its Redis: it is never undefined here.
  const delegate = (await resolveDelegateOptions(args, around, "worker")) as DelegateOptions;
  checkHorizon(delegate);
  const resolved = await resolveServeOptions(args, around, shellTablesProblem);
  // A call that is claimed must not wait for a place while its time runs; what is taken over has as many places again.
  const commands = { ...resolved.commands, atOnce: Math.max(resolved.commands.atOnce, 2 * delegate.callsAtOnce) };
  const options = { ...resolved, commands, proofKeyFile: delegate.proofKeyFile };
  const confining = confinementOf(options);
  const loading = loadBundle(options.bundle, {
    ...options.policy,
    ...given("deadlineMs", options.policyDeadlineMs),
    onFault: faultNotes(io.note),
  });
  const [{ startToolsWorker }] = await Promise.all([import("../server/tools-worker.ts"), confining, Promise.allSettled([loading])]);
  const [engine, confinement] = [await loading, await confining];
  checkSandbox(options, confinement);
  const stop = io.stopSignal(delegate.horizon.maxExec * 1_000 + CLOSE_MS);
  const worker = await startToolsWorker({
    ...options,
    shellTables: await shellTables(options),
    engine,
    confinement,
    delegate,
    stop,
    version: regateVersion(),
    note: io.note,
  }).catch((cause: unknown) => {
    throw listenRefusal(cause, { from: "--health-port", address: `127.0.0.1:${delegate.healthPort ?? 0}` });
  });
  const sandbox = `${confinement.kind}${confinement.reason === undefined ? "" : ` (${confinement.reason})`}`;
  io.note(
    `worker \`${delegate.workerName}\` with bundle \`${engine.name}\` (${engine.digest}), session ${worker.claim.sessionId}, sandbox: ${sandbox}, state in \`${options.stateDir}\``,
  );
  const warning = confinement.kind === "none" ? insideWorkdirWarning(options) : undefined;
  if (warning !== undefined) io.note(warning);
  const known = placeholderWarning(delegate.url, "--redis");
  if (known !== undefined) io.note(known);
  await worker.ended;
  engine.close();
  return 0;
}

/** What only a server of clients needs. */
const HIDDEN: ReadonlySet<string> = new Set([
  ...FRONT_ONLY,
  ...Object.keys(HTTP_SETTINGS),
  ...Object.keys(TOKEN_SETTINGS),
  "confirmTimeoutMs",
  "approvalWait",
]);

/** `regate worker`: runs delegated calls from Redis (design §9). */
export const WORKER_COMMAND: Command = {
  path: ["worker"],
  summary: "run calls that fronts delegate over Redis",
  options: settingOptions((Object.keys(SETTINGS) as (keyof typeof SETTINGS)[]).filter((name) => !HIDDEN.has(name))),
  examples: [
    [
      "$0 worker --redis redis://worker:secret@10.0.0.5 --proof-key-file /etc/regate/proof.key --bundle tools-service --config worker.json",
      "the numbers of the horizon from a file",
    ],
  ],
  run,
};
