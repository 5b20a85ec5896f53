/** One point of a run: calls so far, memory in bytes. */
export interface SoakRow {
  readonly calls: number;
  readonly heap: number;
  readonly external: number;
  readonly rss: number;
}

/** Bytes a call by kind, and a line for each kind that is not flat. */
export function growthOf(rows: readonly SoakRow[]): {
  readonly growth: { readonly heap: number; readonly rss: number };
  readonly problems: readonly string[];
};
