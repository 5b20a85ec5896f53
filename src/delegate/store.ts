/** What binding a record did: the one that is there is returned when it differs. */
export type Bound = { readonly kind: "stored" | "kept" } | { readonly kind: "other"; readonly record: Uint8Array };

/** Keeps session records: bytes under a key with a lifetime. */
export interface SessionStore {
  /**
   * Stores a record, or compares it with the one that is there, in one atomic step. An equal one lives on for the longer of both lifetimes.
   * @param expected what counts as equal; the record itself unless given
   */
  bind(record: { readonly key: string; readonly text: string; readonly ttl: number; readonly expected?: Uint8Array }): Promise<Bound>;
  /** Undefined when there is none, or no more. */
  read(key: string): Promise<Uint8Array | undefined>;
}
