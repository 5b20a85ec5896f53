/** Names in Redis of what several fronts share (issue 7; docs/scale.md). In a cluster the prefix must be a hash tag such as `{sg}`. */
export interface StateKeys {
  /** Identity state of one session. */
  identity(id: string): string;
  /** Usage counters of one session. */
  usage(id: string): string;
  /** What belongs to approvals, under a name of their own. */
  approval(name: string): string;
}

/** The names under one prefix (`--redis-prefix`). */
export function stateKeys(prefix: string): StateKeys {
  return Object.freeze({
    identity: (id: string) => `${prefix}:state:identity:${id}`,
    usage: (id: string) => `${prefix}:state:usage:${id}`,
    approval: (name: string) => `${prefix}:state:approval:${name}`,
  });
}
