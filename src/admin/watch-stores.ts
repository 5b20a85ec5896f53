import { createApprovalWatch } from "./approval-events.ts";
import type { ApprovalEvent } from "./approval-events.ts";
import type { AdminCore } from "./core.ts";
import type { EventHub } from "./events.ts";
import type { Approval } from "./ports.ts";

/** Who is told. */
export interface StoreListeners {
  readonly hub: EventHub;
  /** Told of each problem once, until another comes. */
  readonly report: (problem: unknown) => void;
  readonly onApproval: ((event: ApprovalEvent) => void) | undefined;
  /** The requests as they were when `onApproval` was last told of them; absent: it has heard of none. */
  readonly before: readonly Approval[] | undefined;
}

/** How often the stops are looked at, and whether a request has expired: no file tells of that. */
const LOOK_MS = 1_000;
/** How long a change waits for the look that is under way. */
const BUSY_MS = 20;
/** After a look that took so long, as many times as long nothing is looked at: a store with thousands of requests must not eat the server. */
const REST = 4;
/** Nothing tells of a clock that was set back either. */
const LONGEST_REST_MS = 30_000;

/** Turns changes of the stores into events. @returns ends it */
export function watchStores({ ports, now }: AdminCore, { hub, report, onApproval, before }: StoreListeners): () => void {
  const watch = createApprovalWatch();
  if (before !== undefined) watch.look(before);
  let nextExpiry = Number.POSITIVE_INFINITY;
  let stops = "";
  let restUntil = 0;
  let isLooking = false;
  let waiting: NodeJS.Timeout | undefined;

  async function lookAtApprovals(): Promise<void> {
    const list = await ports.approvals.list();
    nextExpiry = Math.min(
      ...list.filter(({ state }) => state === "pending").map(({ expires_at: at }) => Date.parse(at)),
      Number.POSITIVE_INFINITY,
    );
    const events = watch.look(list);
    for (const event of events) {
      hub.emit({ name: "approvals", data: { id: event.approval.id, kind: event.kind } });
      onApproval?.(event);
    }
    if (events.length === 0) hub.emit({ name: "approvals", data: { kind: "changed" } });
  }
  async function lookAtStops(): Promise<void> {
    const found = JSON.stringify(ports.stops.list());
    if (stops !== "" && found !== stops) hub.emit({ name: "stops", data: {} });
    stops = found;
  }
  const quietly = once(report);
  const lookRestfully = async (): Promise<void> => {
    const began = performance.now();
    await quietly(lookAtApprovals);
    const ended = performance.now();
    restUntil = ended + (ended - began) * REST;
    isLooking = false;
  };
  const restful = (): void => {
    const wait = isLooking ? BUSY_MS : restUntil - performance.now();
    if (wait > 0) {
      waiting ??= setTimeout(() => {
        waiting = undefined;
        restful();
      }, wait);
      return;
    }
    isLooking = true;
    void lookRestfully();
  };
  restful();
  void quietly(lookAtStops);
  const timer = setInterval(() => {
    void quietly(lookAtStops);
    if (nextExpiry <= now().getTime() || performance.now() > restUntil + LONGEST_REST_MS) restful();
  }, LOOK_MS);
  const end = ports.approvals.watch(restful);
  return () => {
    clearInterval(timer);
    clearTimeout(waiting);
    end();
  };
}

/** Runs a look; a problem is reported when it is another than the one before. */
function once(report: (problem: unknown) => void): (look: () => Promise<void>) => Promise<void> {
  const last = new Map<() => Promise<void>, string>();
  return async (look) => {
    try {
      await look();
      last.delete(look);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      if (last.get(look) !== message) report(error);
      last.set(look, message);
    }
  };
}
