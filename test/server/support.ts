import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { decisionLogFile, openDecisionLog } from "../../src/audit/decision-log.ts";
import { isJsonObject } from "../../src/call/json.ts";
import type { JsonObject, JsonValue } from "../../src/call/json.ts";
import type { Decision } from "../../src/policy/decision.ts";
import type { Engine, Entrypoint } from "../../src/policy/engine.ts";
import type { CorridorOptions } from "../../src/server/core.ts";
import { createCorridor } from "../../src/server/corridor.ts";
import type { CallAnswer, CallRequest, CallToolResult } from "../../src/server/corridor-types.ts";
import { declaredFacts } from "../../src/server/facts.ts";
import { makeClaim } from "../../src/session/claim.ts";
import { SessionIdentityState } from "../../src/session/identity-state.ts";
import { analyseCommand } from "../../src/shell/analyse.ts";
import { createRegistry } from "../../src/tools/registry.ts";

export const ALLOW: Decision = Object.freeze({ allow: true, reasons: [], effect: "none", confirm: "none" });
export const DENY: Decision = Object.freeze({ allow: false, reasons: [], deny_reason: "no", effect: "none", confirm: "none" });

/** A policy that is a function, behind the engine port; what it was asked is kept. */
export function engineOf(decide: (input: JsonObject, entrypoint: Entrypoint) => Decision): Engine & { readonly asked: JsonObject[] } {
  const asked: JsonObject[] = [];
  return {
    name: "test",
    digest: `sha256:${"0".repeat(64)}`,
    data: {},
    asked,
    decide(input, entrypoint = "gate/decision") {
      asked.push(structuredClone(input) as JsonObject);
      return decide(input as JsonObject, entrypoint);
    },
    has: () => true,
    close: () => undefined,
  };
}

/** Folders made by this file's tests. */
const folders: string[] = [];

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "regate-corridor-"));
  folders.push(folder);
  return folder;
}

export function removeFolders(): void {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
}

/** A corridor with a real decision log in a folder of its own. */
export function openCorridor(options: Partial<CorridorOptions> & { readonly decide?: (input: JsonObject) => Decision } = {}) {
  const { decide = () => ALLOW, ...parts } = options;
  const stateDir = temporaryFolder();
  const claim = parts.claim ?? makeClaim({ agentId: "tester" });
  const identity = new SessionIdentityState();
  const engine = engineOf(decide);
  const reports: unknown[] = [];
  const corridor = createCorridor({
    claim,
    user: "erika",
    groups: ["staff"],
    engine,
    log: openDecisionLog({
      stateDir,
      sessionId: claim.sessionId,
      labels: { id: "test", version: "0" },
      now: () => BigInt(Date.now()) * 1_000_000n,
    }),
    registry: createRegistry([]),
    factsOf: declaredFacts(undefined, {}),
    analyse: analyseCommand,
    requireDryRun: false,
    sandbox: "none",
    identity,
    report: (problem) => reports.push(problem),
    ...parts,
  });
  const file = decisionLogFile(stateDir, claim.sessionId);
  return { corridor, claim, identity, engine, reports, stateDir, file, events: () => eventsOf(file) };
}

/** One event of the log, as far as tests look at it. */
export interface LoggedEvent extends JsonObject {
  decision_id: string;
  custom: { regate: { [key: string]: JsonValue; event: string; code: string | null; outcome: JsonObject & { status: string } } };
}

export function eventsOf(file: string): LoggedEvent[] {
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as LoggedEvent);
}

export const DONE: CallToolResult = { content: [{ type: "text", text: "done" }] };

/** A request with a handler that counts how often it ran. */
export function counted(tool: string, args: JsonObject = {}, parts: Partial<CallRequest> = {}) {
  const state = { runs: 0 };
  const request: CallRequest = {
    tool,
    arguments: args,
    path: "direct",
    handler: () => {
      state.runs += 1;
      return Promise.resolve(structuredClone(DONE));
    },
    ...parts,
  };
  return { request, state };
}

export function resultOf(answer: CallAnswer): CallToolResult {
  if (answer.kind === "unknown_tool") throw new Error("the tool is unknown");
  return answer.result;
}

/** Code of a refusal, or `ok`. */
export function codeOf(answer: CallAnswer): unknown {
  if (answer.kind === "unknown_tool") return "unknown_tool";
  return decisionMeta(answer)["code"] ?? "ok";
}

export function decisionIdOf(answer: CallAnswer): unknown {
  return decisionMeta(answer)["decision_id"];
}

function decisionMeta(answer: CallAnswer): JsonObject {
  const meta = resultOf(answer)._meta?.["regate/decision"];
  if (!isJsonObject(meta)) throw new Error("the result names no decision");
  return meta;
}

/** What an event says in one word: the code of a refusal, the status of an outcome, or `admitted`. */
export function wordOf({ custom }: LoggedEvent): string {
  const { event, code, outcome } = custom.regate;
  return event === "outcome" ? outcome.status : (code ?? "admitted");
}
