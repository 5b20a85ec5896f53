/** One session of this process, as listings show it: no command, no token (design §8, `sessions`). */
export interface SessionEntry {
  readonly id: string;
  readonly agent_id: string;
  readonly user: string;
  readonly principals: readonly string[];
  /** RFC 3339 UTC. */
  readonly created: string;
}

/** The sessions of this process (seed 003: the process registers the session that it creates). */
export interface SessionRegistry {
  /** Adds a session; the returned function takes it out again. Throws when the id is already there. */
  register(entry: SessionEntry): () => void;
  /** Says who a session belongs to now; nothing when it is not registered. */
  identify(id: string, who: { readonly user: string; readonly principals: readonly string[] }): void;
  /** All sessions, sorted by id. */
  list(): readonly SessionEntry[];
}

/** Makes an empty registry; a process has one. */
export function createSessionRegistry(): SessionRegistry {
  const sessions = new Map<string, SessionEntry>();
  return {
    register(entry) {
      if (sessions.has(entry.id)) throw new Error(`session \`${entry.id}\` is already registered`);
      sessions.set(entry.id, frozen(entry));
      return () => {
        sessions.delete(entry.id);
      };
    },
    identify(id, { user, principals }) {
      const entry = sessions.get(id);
      if (entry !== undefined) sessions.set(id, frozen({ ...entry, user, principals }));
    },
    list: () => [...sessions.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1)),
  };
}

function frozen(entry: SessionEntry): SessionEntry {
  return Object.freeze({ ...entry, principals: Object.freeze([...entry.principals]) });
}
