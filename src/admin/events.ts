/** Kinds of what happens; who listens reads again what it shows. */
export type AdminEventName = "approvals" | "sessions" | "stops";

/** Something that happened. */
export interface AdminEvent {
  readonly name: AdminEventName;
  readonly data: Readonly<Record<string, string>>;
}

/** Hands events on to everybody who listens. */
export interface EventHub {
  readonly emit: (event: AdminEvent) => void;
  /** Calls back for each event; the returned function ends it. */
  readonly listen: (take: (event: AdminEvent) => void) => () => void;
  readonly listeners: () => number;
}

/** Makes a hub. */
export function createEventHub(): EventHub {
  const listeners = new Set<(event: AdminEvent) => void>();
  return {
    emit(event) {
      for (const take of listeners) take(event);
    },
    listen(take) {
      listeners.add(take);
      return () => void listeners.delete(take);
    },
    listeners: () => listeners.size,
  };
}
