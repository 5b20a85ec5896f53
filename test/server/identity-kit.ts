import { z } from "zod";
import type { JsonObject } from "../../src/call/json.ts";
import { lockSession } from "../../src/audit/session-lock.ts";
import type { CorridorOptions } from "../../src/server/core.ts";
import { createCommandBook } from "../../src/server/commands.ts";
import type { CallAnswer } from "../../src/server/corridor-types.ts";
import { declaredFacts } from "../../src/server/facts.ts";
import { localTools } from "../../src/server/local-tools.ts";
import { createScriptCalls } from "../../src/server/script-calls.ts";
import { activeOf, NO_PROFILES } from "../../src/session/profile-document.ts";
import { openProfileStore } from "../../src/session/profile-store.ts";
import type { ProfileStore } from "../../src/session/profile-store.ts";
import { createSessionRegistry } from "../../src/session/registry.ts";
import { openStarlark } from "../../src/starlark/engine.ts";
import { unconfined } from "../../src/shell/confinement.ts";
import { COMMAND_LIMITS } from "../../src/shell/sandbox-entry.ts";
import { createRegistry } from "../../src/tools/registry.ts";
import type { Tool } from "../../src/tools/tool.ts";
import { openCorridor, temporaryFolder } from "./support.ts";

/** A path on which the tests call: by wire name, or by key through execute. */
export type Way = "direct" | "execute";

/** run_shell that counts instead of running: what stands behind the gate is not what these tests are about. */
function countingShell(runs: JsonObject[]): Tool {
  return {
    name: "run_shell",
    title: "Run",
    description: "Counts.",
    input: z.strictObject({ command: z.string() }),
    output: z.strictObject({}),
    timeoutMs: 1_000,
    handler(args) {
      runs.push(args);
      return Promise.resolve({ structured: {} });
    },
  };
}

/** Profiles that live as long as the test: the rules of the store without its disk, which waits for every write. */
export function memoryProfiles(): ProfileStore {
  let document = NO_PROFILES;
  return {
    read: () => document,
    update: (change) => (document = change(document)),
    active: () => ({
      label: activeOf(document)?.label ?? null,
      variables: {},
      mark: `${document.active ?? ""}:${document.switches}`,
    }),
  };
}

/** A corridor with the real tools, but for run_shell, and a profile store in a folder of its own or in a shared one. */
export function openIdentityCorridor(
  options: Partial<CorridorOptions> & {
    readonly stateFolder?: string;
    readonly more?: readonly Tool[];
    readonly store?: ProfileStore;
  } = {},
) {
  const { stateFolder = temporaryFolder(), more = [], store, ...parts } = options;
  const factsOf = declaredFacts(parts.engine);
  const profiles = store ?? openProfileStore({ stateDir: stateFolder, lock: lockSession });
  const commands = createCommandBook(factsOf);
  const scripts = createScriptCalls();
  const runs: JsonObject[] = [];
  const local = localTools({
    workdir: stateFolder,
    environment: {},
    confinement: unconfined({ limits: COMMAND_LIMITS, atOnce: 8, reason: "a test" }),
    sessions: createSessionRegistry(),
    logFile: "/nonexistent",
    profiles,
    commands,
    starlark: openStarlark({ limits: { steps: 1_000_000, timeMs: 10_000, memoryMb: 64, outputBytes: 65_536 } }),
    scripts,
  });
  const tools = [countingShell(runs), ...local.filter(({ name }) => name !== "run_shell"), ...more];
  const registry = createRegistry(tools);
  const opened = openCorridor({ factsOf, registry, profiles: () => profiles.active(), ...parts });
  commands.use(registry);
  commands.bind(opened.corridor);
  scripts.bind(opened.corridor);
  /** Calls a tool by its wire name, or the command with its key through execute. */
  function call(tool: string, args: JsonObject = {}, way: Way = "direct"): Promise<CallAnswer> {
    if (way === "direct") return opened.corridor.call({ tool, arguments: args, path: "direct" });
    const command_key = factsOf(tool).command_key ?? tool;
    return opened.corridor.call({ tool: "execute", arguments: { command_key, arguments: args }, path: "direct" });
  }
  return { ...opened, call, profiles, runs, stateFolder, registry };
}
