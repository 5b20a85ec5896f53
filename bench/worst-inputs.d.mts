interface Manifest {
  readonly input_paths: readonly (readonly string[])[];
  readonly self_test: readonly { readonly input: object; readonly allow: boolean }[];
}

interface Family {
  readonly name: string;
  /** @param n even; the input's size grows with it */
  readonly inputOf: (n: number) => Record<string, unknown>;
}

/** Families of hard inputs to one bundle. */
export declare function worstInputs(manifest: Manifest): readonly Family[];

/** Command lines of 65,536 bytes that give the policy the most to do. */
export declare const WORST_LINES: readonly { readonly name: string; readonly line: string }[];
