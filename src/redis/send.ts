import { StoreError } from "./store-error.ts";

/** Sends one Redis command; bulk strings come back as bytes. Rejects when the store refuses or cannot be reached. */
export type Send = (args: readonly (string | Uint8Array)[], options?: SendOptions) => Promise<unknown>;

/** How a command is sent. */
export interface SendOptions {
  /** Milliseconds for which the server may hold the answer back (`BLOCK`), on top of the usual limit. */
  readonly holdMs?: number;
}

/**
 * Waits for `work`, but not longer than a limit; what comes later is ignored.
 * @throws StoreError `store_unavailable` when the limit is over
 */
export async function boundedBy<Value>(limitMs: number, work: Promise<Value>): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    const problem = (): StoreError => new StoreError("store_unavailable", `the store did not answer within ${Math.round(limitMs)} ms`);
    timer = setTimeout(() => reject(problem()), limitMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
    work.catch(() => undefined);
  }
}
