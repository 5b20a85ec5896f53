/** Names in Redis of what several fronts share (issue 7; docs/scale.md). In a cluster the prefix must be a hash tag such as `{sg}`. */
export interface StateKeys {
  /** Identity state of one session. */
  identity(id: string): string;
  /** Switches of the session that run. */
  switching(id: string): string;
  /** Usage counters of one session. */
  usage(id: string): string;
  /** Its calls of the last minute. */
  recent(id: string): string;
  /** Its calls that run. */
  running(id: string): string;
  /** What belongs to approvals, under a name of their own. */
  approval(name: string): string;
}

/** The names under one prefix (`--redis-prefix`). */
export function stateKeys(prefix: string): StateKeys {
  const identity = (id: string): string => `${prefix}:state:identity:${id}`;
  const usage = (id: string): string => `${prefix}:state:usage:${id}`;
  return Object.freeze({
    identity,
    switching: (id: string) => `${identity(id)}:switching`,
    usage,
    recent: (id: string) => `${usage(id)}:recent`,
    running: (id: string) => `${usage(id)}:running`,
    approval: (name: string) => `${prefix}:state:approval:${name}`,
  });
}
