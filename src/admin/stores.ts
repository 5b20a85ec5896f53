import { visible } from "../call/visible.ts";
import { decideApproval } from "../govern/approval-decide.ts";
import { displayLine } from "../govern/approval-display.ts";
import { listApprovals, readApproval } from "../govern/approval-list.ts";
import type { ApprovalStore } from "../govern/approval-store.ts";
import type { ApprovalView } from "../govern/approval-view.ts";
import { listElevations, verifyElevations } from "../govern/elevations.ts";
import type { ElevationView } from "../govern/elevations.ts";
import { isGovernError } from "../govern/govern-error.ts";
import { listLeases } from "../govern/leases.ts";
import { listRecordings } from "../govern/recording-list.ts";
import { liftStop, listStops, placeStop } from "../govern/stops.ts";
import type { StopList } from "../govern/stops.ts";
import type { AdminPorts, Approval, StopOrder } from "./ports.ts";
import type { ElevationsAnswer, StopsAnswer } from "./schemas/stores.ts";

/** How the stores are opened. */
export interface StoresOptions {
  /** Also says which state directory has everything else. */
  readonly approvals: ApprovalStore;
  readonly now: () => Date;
  /** Told once of each request that cannot be read: it is not shown. */
  readonly report: (problem: unknown) => void;
}

const MAX_TOLD = 1_000;

/** The governed stores of a state directory, as the admin server uses them. Texts that a caller wrote come with visible escapes (trial P09). */
export function openStores({ approvals, now, report }: StoresOptions): AdminPorts {
  const { stateDir } = approvals;
  const told = new Set<string>();
  const onProblem = (problem: Error): void => {
    if (!told.has(problem.message) && told.size < MAX_TOLD) report(problem);
    told.add(problem.message);
  };
  return {
    approvals: {
      list: async () => (await listApprovals(approvals, { now: now(), onProblem })).map(approvalOf),
      async read(id) {
        const view = await readApproval(approvals, id, { now: now() });
        return view === undefined ? undefined : approvalOf(view);
      },
      decide: async (order) => approvalOf(await decideApproval({ ...order, store: approvals, now: now() })),
      watch: (onChange) => approvals.watch(onChange),
    },
    stops: { list: () => stopsOf(stateDir), place: (order) => carryOut(stateDir, order, now()) },
    elevations: () => elevationsOf(stateDir, now()),
    leases: () => listLeases(stateDir, now()).leases.map(shownTexts),
    recordings: () => listRecordings(stateDir),
  };
}

function approvalOf({ requester, rule, votes, approvers, ...view }: ApprovalView): Approval {
  return {
    ...view,
    agent_id: visible(view.agent_id),
    tool: visible(view.tool),
    workdir: visible(view.workdir),
    profile: view.profile === null ? null : visible(view.profile),
    requester: { user: visible(requester.user), uid: requester.uid },
    rule: rule.map(shownTexts),
    votes: votes.map(shownTexts),
    ...(approvers === undefined ? {} : { approvers: approvers.map(visible) }),
  };
}

/** What somebody wrote freely may hold a secret, too (trial E05). */
const FREE_TEXTS: ReadonlySet<string> = new Set(["reason", "message", "revoke_reason"]);

/** A copy whose own texts show what could disguise them. */
function shownTexts<Entry extends object>(entry: Entry): Entry {
  return Object.fromEntries(
    Object.entries(entry).map(([name, value]) => {
      if (typeof value !== "string") return [name, value];
      return [name, FREE_TEXTS.has(name) ? displayLine(value) : visible(value)];
    }),
  ) as Entry;
}

function carryOut(stateDir: string, { action, scope, reason, endRunning, key }: StopOrder, now: Date): void {
  if (action === "stop") placeStop(stateDir, { scope, reason, endRunning }, { key, now });
  else liftStop(stateDir, { scope, reason }, { key, now });
}

/** A chain that does not hold is no error here: that everything is stopped is what the human has to see. */
function stopsOf(stateDir: string): StopsAnswer {
  try {
    return { stops: stopsIn(listStops(stateDir)), broken: null };
  } catch (error) {
    if (!isGovernError(error) || error.code !== "govern.chain_broken") throw error;
    return { stops: [], broken: error.message };
  }
}

function stopsIn({ stops, halts, unreadable }: StopList): StopsAnswer["stops"] {
  return [
    ...stops.map(({ scope, reason, end_running, stopped_at: at, stopped_by: key }) => ({
      scope,
      reason: displayLine(reason),
      key,
      at,
      end_running,
    })),
    ...halts.map(({ session, code, halted_at: at }) => ({
      scope: { session },
      reason: `the policy halted this session: ${visible(code)}`,
      key: null,
      at,
      end_running: false,
    })),
    ...unreadable.map(({ session, problem }) => ({
      scope: { session },
      reason: `its halt cannot be read, so it is halted: ${visible(problem)}`,
      key: null,
      at: "",
      end_running: false,
    })),
  ];
}

function elevationsOf(stateDir: string, now: Date): ElevationsAnswer {
  const state = verifyElevations(stateDir);
  if (state.kind === "missing") return { chain: { state: "missing", reason: null, entries: 0 }, active: [] };
  if (state.kind === "broken") return { chain: { state: "broken", reason: state.reason, entries: 0 }, active: [] };
  const { active } = listElevations(stateDir, now);
  return { chain: { state: "ok", reason: null, entries: state.entries.length }, active: active.map(elevationOf) };
}

function elevationOf(view: ElevationView): ElevationsAnswer["active"][number] {
  const { id, role, reason, tools, session, agent, granted_at, granted_by, expires_at, uses, used } = view;
  return {
    id,
    role,
    reason: displayLine(reason),
    tools: [...tools],
    session: session ?? null,
    agent: agent === undefined ? null : visible(agent),
    granted_at,
    granted_by,
    expires_at,
    uses: uses ?? null,
    uses_left: uses === undefined ? null : uses - (used ?? 0),
  };
}
