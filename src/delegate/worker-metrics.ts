/** What a worker has counted since it started, by name. */
export interface WorkerCounts {
  /** Replies by how the call ended, and refusals by code. */
  readonly byEnd: ReadonlyMap<string, number>;
  readonly running: number;
  count(name: string): void;
  /** Counts one running call in; the returned function counts it out. */
  begin(): () => void;
}

/** Makes empty counters. */
export function createWorkerCounts(): WorkerCounts {
  const byEnd = new Map<string, number>();
  let running = 0;
  return {
    byEnd,
    get running() {
      return running;
    },
    count(name) {
      byEnd.set(name, (byEnd.get(name) ?? 0) + 1);
    },
    begin() {
      running += 1;
      return () => {
        running -= 1;
      };
    },
  };
}
