import { checkWritable } from "../config/state-dir.ts";
import type { ApprovalView } from "../govern/approval-view.ts";
import type { Arguments, Command, Io } from "./command.ts";
import { sharedOptions, withApprovals, type ApprovalPlaces } from "./approval-store.ts";
import { approvalText, listedApproval, watchedLine } from "./approval-text.ts";
import { GOVERN_FLAGS, neededFlag, neededId, placeOptions, printList, STATE_DIR, tellDone } from "./govern.ts";
import { write } from "./output.ts";

/** States in which a human may still have something to do or to see. */
const OPEN = new Set<ApprovalView["state"]>(["pending", "approved", "executing"]);
const SHA256 = /^[0-9a-f]{64}$/;

const shownFlag = {
  name: "shown",
  kind: "text",
  placeholder: "DIGEST",
  describe: "decide only if this is the digest of the text that is shown",
  problem: (value: string) => (SHA256.test(value) ? undefined : "must be 64 lower-case hex digits"),
} as const;

async function list({ store }: ApprovalPlaces, args: Arguments, io: Io): Promise<number> {
  const { listApprovals } = await import("../govern/approval-list.ts");
  let problems = 0;
  const onProblem = (problem: Error): void => {
    problems += 1;
    io.note(problem.message);
  };
  const all = await listApprovals(store, { now: new Date(), onProblem });
  const views = args.switches.has("all") ? all : all.filter(({ state }) => OPEN.has(state));
  const json = args.switches.has("json");
  await printList(io, json ? views : views.map(listedApproval), {
    json,
    columns: ["id", "state", "tool", "requester", "agent", "votes", "expires_at"],
  });
  return problems === 0 ? 0 : 1;
}

async function wanted({ store }: ApprovalPlaces, args: Arguments, command: string): Promise<ApprovalView> {
  const id = neededId(args, { command: `approvals ${command}`, of: "request" });
  const { readApproval } = await import("../govern/approval-list.ts");
  const view = await readApproval(store, id, { now: new Date() });
  if (view === undefined) throw new Error(`no request has the id \`${id}\``);
  return view;
}

async function show(places: ApprovalPlaces, args: Arguments, io: Io): Promise<number> {
  const view = await wanted(places, args, "show");
  await write(io.stdout, args.switches.has("json") ? `${JSON.stringify(view, undefined, 2)}\n` : approvalText(view));
  return 0;
}

interface Decide {
  readonly args: Arguments;
  readonly decision: "approve" | "deny";
}

/** What the flags of a decision say. @throws ConfigError for one that is missing */
function decisionOf(args: Arguments, decision: "approve" | "deny"): { readonly name: string; readonly reason: string } {
  const name = neededFlag(args, { command: `approvals ${decision}`, flag: "key" });
  const reason = decision === "deny" ? neededFlag(args, { command: "approvals deny", flag: "reason" }) : (args.values.get("reason") ?? "");
  return { name, reason };
}

async function decide(places: ApprovalPlaces, io: Io, { args, decision }: Decide): Promise<number> {
  const { name, reason } = decisionOf(args, decision);
  const { store, shared, stateDir } = places;
  if (shared === undefined) checkWritable(stateDir, STATE_DIR);
  const view = await wanted(places, args, decision);
  const [{ openKey }, { decideApproval }] = await Promise.all([import("../govern/keys.ts"), import("../govern/approval-decide.ts")]);
  const key = openKey(places, name);
  await write(io.stdout, approvalText(view));
  const demanded = args.values.get("shown");
  if (demanded !== undefined && demanded !== view.shown.digest) throw new Error("`--shown`: another text is on file, nothing was decided");
  if (!(await isMeant(io, decision))) throw new Error("nothing was decided");
  const after = await decideApproval({ store, id: view.id, decision, reason, key, shown: view.shown.digest, now: new Date() });
  const votes = after.state === "pending" ? `, ${after.votes.length} of ${after.quorum} approvals` : "";
  await tellDone(io, `request ${view.id} is ${after.state}${votes}`);
  return 0;
}

/** A human at a terminal is asked once more, below the whole text; a script has said what it wants. */
async function isMeant(io: Io, decision: string): Promise<boolean> {
  if (!("isTTY" in io.stdin) || io.stdin.isTTY !== true) return true;
  await write(io.stdout, `type ${decision} to ${decision} this request: `);
  const { createInterface } = await import("node:readline");
  const lines = createInterface({ input: io.stdin, terminal: false });
  try {
    for await (const line of lines) return line.trim() === decision;
    return false;
  } finally {
    lines.close();
  }
}

async function watch({ store, shared, stateDir }: ApprovalPlaces, args: Arguments, io: Io): Promise<number> {
  if (shared === undefined) checkWritable(stateDir, STATE_DIR);
  const ended = endOf(io);
  const { listApprovals } = await import("../govern/approval-list.ts");
  const told = new Map<string, string>();
  const json = args.switches.has("json");
  const onProblem = ({ message }: Error): void => {
    if (!told.has(message)) io.note(message);
    told.set(message, "");
  };
  const look = async (): Promise<void> => {
    for (const view of await listApprovals(store, { now: new Date(), onProblem })) {
      const stand = `${view.state} ${view.votes.length}`;
      if (told.get(view.id) === stand || (!told.has(view.id) && !OPEN.has(view.state))) continue;
      told.set(view.id, stand);
      io.stdout.write(json ? `${JSON.stringify(view)}\n` : watchedLine(view));
    }
  };
  let looking = look();
  // One that waits for its turn will see every change so far: a slow store is not asked more often than it answers.
  let isWaiting = false;
  const tell = (): void => {
    if (isWaiting) return;
    isWaiting = true;
    looking = looking
      .then(() => {
        isWaiting = false;
        return look();
      })
      .then(
        () => void told.delete("problem"),
        (problem: unknown) => noteOnce(io, told, problem),
      );
  };
  await looking;
  const end = store.watch(tell);
  // Expiry is no change of a store.
  const timer = setInterval(tell, 1_000);
  await ended;
  clearInterval(timer);
  end();
  return 0;
}

/** Resolves when the command is told to end, or its reader has gone. */
async function endOf({ stopSignal, stdout }: Io): Promise<void> {
  const stop = stopSignal();
  await new Promise<void>((resolve) => {
    if (stop.aborted) resolve();
    stop.addEventListener("abort", () => resolve(), { once: true });
    stdout.once("error", () => resolve());
  });
}

/** A store that is away for a while is said once. */
function noteOnce(io: Io, told: Map<string, string>, problem: unknown): void {
  const message = problem instanceof Error ? problem.message : String(problem);
  if (told.get("problem") !== message) io.note(message);
  told.set("problem", message);
}

/** `regate approvals list|show|approve|deny|watch`: what agents ask humans for, and the humans' answers (design §8). */
export const APPROVALS_COMMANDS: readonly Command[] = [
  {
    path: ["approvals", "list"],
    summary: "list the calls that wait for a human's decision, or may run",
    options: [
      { name: "all", kind: "switch", describe: "list those that are over, too" },
      GOVERN_FLAGS.json,
      ...placeOptions(),
      ...sharedOptions(),
    ],
    examples: [["$0 approvals list", "what waits"]],
    run: (args, io) => withApprovals(args, (places) => list(places, args, io)),
  },
  {
    path: ["approvals", "show"],
    summary: "show one request: the whole call, the policy's reason and the votes",
    options: [GOVERN_FLAGS.json, ...placeOptions(), ...sharedOptions()],
    words: { name: "id", describe: "id of the request", max: 1 },
    examples: [["$0 approvals show 5c2d…", "the text that an approval signs"]],
    run: (args, io) => withApprovals(args, (places) => show(places, args, io)),
  },
  {
    path: ["approvals", "approve"],
    summary: "show one request and approve it: the call may run once",
    options: [GOVERN_FLAGS.key, GOVERN_FLAGS.reason, shownFlag, ...placeOptions(), ...sharedOptions()],
    words: { name: "id", describe: "id of the request", max: 1 },
    examples: [["$0 approvals approve 5c2d… --key anna", "anna's key signs what was shown"]],
    run: (args, io) => withApprovals(args, (places) => decide(places, io, { args, decision: "approve" })),
  },
  {
    path: ["approvals", "deny"],
    summary: "show one request and deny it",
    options: [GOVERN_FLAGS.key, GOVERN_FLAGS.reason, shownFlag, ...placeOptions(), ...sharedOptions()],
    words: { name: "id", describe: "id of the request", max: 1 },
    examples: [["$0 approvals deny 5c2d… --key anna --reason 'not on a Friday'", "one denial is enough"]],
    run: (args, io) => withApprovals(args, (places) => decide(places, io, { args, decision: "deny" })),
  },
  {
    path: ["approvals", "watch"],
    summary: "print each request when it is new, decided, used or over, until it is stopped",
    options: [GOVERN_FLAGS.json, ...placeOptions(), ...sharedOptions()],
    examples: [["$0 approvals watch --json", "one JSON object a line, for a program that notifies people"]],
    run: (args, io) => withApprovals(args, (places) => watch(places, args, io)),
  },
];
