import { batch, computed, signal } from "@preact/signals";
import { hasStatus, hasToken, keepToken, messageOf, read } from "./api.ts";
import { openStream } from "./stream.ts";
import type { Approval, ApprovalList, Elevations, Lease, Me, Recording, Session, Stops } from "./types.ts";

/** Where the page is: `#/requests/<id>`. */
export interface Place {
  readonly view: View;
  readonly id: string | undefined;
}

export type View = "requests" | "decisions" | "sessions" | "authority" | "recordings";

const VIEWS: readonly string[] = ["requests", "decisions", "sessions", "authority", "recordings"] satisfies View[];

export const me = signal<Me | undefined>(undefined);
export const signInProblem = signal("");
export const isLive = signal(false);
export const now = signal(Date.now());
export const place = signal<Place>(placeOf(location.hash));
export const pending = signal<readonly Approval[] | undefined>(undefined);
export const pendingTotal = signal(0);
export const sessions = signal<readonly Session[]>([]);
export const stops = signal<Stops>({ stops: [], broken: null });
export const elevations = signal<Elevations | undefined>(undefined);
export const leases = signal<readonly Lease[]>([]);
export const recordings = signal<readonly Recording[]>([]);
/** Rises when something was decided somewhere: who shows decisions reads them again. */
export const decisionTick = signal(0);
/** What a screen reader says; the number makes two equal texts two. */
export const spoken = signal<{ readonly text: string; readonly count: number }>({ text: "", count: 0 });
export const problem = signal("");

export const title = computed(() => (me.value === undefined || pendingTotal.value === 0 ? "Regate" : `(${pendingTotal.value}) Regate`));

/** Lets a screen reader say something. */
export function say(text: string): void {
  spoken.value = { text, count: spoken.value.count + 1 };
}

function placeOf(hash: string): Place {
  const [, view = "", id] = /^#\/([a-z]+)(?:\/([A-Za-z0-9_-]+))?$/.exec(hash) ?? [];
  return { view: VIEWS.includes(view) ? (view as View) : "requests", id };
}

const LOADERS: Readonly<Record<string, () => Promise<void>>> = {
  async approvals() {
    const { approvals, total } = await read<ApprovalList>("/v1/approvals?state=pending&limit=200");
    const known = new Set(pending.value?.map(({ id }) => id));
    const fresh = pending.value === undefined ? [] : approvals.filter(({ id }) => !known.has(id));
    batch(() => {
      pending.value = approvals;
      pendingTotal.value = total;
      decisionTick.value += 1;
    });
    if (fresh.length > 0) say(fresh.length === 1 ? `New request: ${fresh[0]?.tool}` : `${fresh.length} new requests`);
  },
  async sessions() {
    sessions.value = (await read<{ sessions: Session[] }>("/v1/sessions")).sessions;
    decisionTick.value += 1;
  },
  async stops() {
    stops.value = await read<Stops>("/v1/stops");
    sessions.value = (await read<{ sessions: Session[] }>("/v1/sessions")).sessions;
  },
  async authority() {
    elevations.value = await read<Elevations>("/v1/elevations");
    leases.value = (await read<{ leases: Lease[] }>("/v1/leases")).leases;
  },
  async recordings() {
    recordings.value = (await read<{ recordings: Recording[] }>("/v1/recordings")).recordings;
  },
};

/** Reads a part of the store again; what goes wrong is shown. */
export async function load(name: string): Promise<void> {
  try {
    await LOADERS[name]?.();
    problem.value = "";
  } catch (error) {
    if (hasStatus(error, 401)) signOut("Your key is no longer accepted.");
    else problem.value = messageOf(error);
  }
}

const waiting = new Map<string, ReturnType<typeof setTimeout>>();

/** Events that come together are one reading. */
function loadSoon(name: string): void {
  if (waiting.has(name)) return;
  const timer = setTimeout(() => {
    waiting.delete(name);
    void load(name);
  }, 120);
  waiting.set(name, timer);
}

let closeStream = (): void => {};

function begin(who: Me): void {
  me.value = who;
  closeStream();
  closeStream = openStream({
    onEvent: (name) => (name === "hello" ? ["approvals", "sessions", "stops"] : [name]).forEach(loadSoon),
    onState: (live) => (isLive.value = live),
    onUnauthorized: () => signOut("Your key is no longer accepted."),
  });
}

/** Signs in with the token of a key, or with the one that this tab still has. */
export async function signIn(token?: string): Promise<void> {
  if (token !== undefined) keepToken(token);
  if (!hasToken()) return;
  try {
    begin(await read<Me>("/v1/key"));
    signInProblem.value = "";
  } catch (error) {
    keepToken("");
    signInProblem.value = hasStatus(error, 401) ? "This is no key on record here." : messageOf(error);
  }
}

/** Forgets the key and everything that it let the page see. */
export function signOut(why = ""): void {
  closeStream();
  keepToken("");
  batch(() => {
    me.value = undefined;
    pending.value = undefined;
    pendingTotal.value = 0;
    sessions.value = [];
    stops.value = { stops: [], broken: null };
    elevations.value = undefined;
    leases.value = [];
    recordings.value = [];
    isLive.value = false;
    signInProblem.value = why;
  });
}

/** Begins: follows the address and the clock. */
export function start(): void {
  addEventListener("hashchange", () => (place.value = placeOf(location.hash)));
  setInterval(() => (now.value = Date.now()), 1_000);
  title.subscribe((text) => (document.title = text));
  void signIn();
}
