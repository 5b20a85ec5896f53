/** From the door to the worker: one call. */
export interface WorkerRequest {
  readonly id: number;
  /** First line: the request as JSON without a newline. */
  readonly head: string;
  /** What follows the first line. */
  readonly payload?: string | Uint8Array;
}

/** From the worker to the door: the answer to one call. */
export type WorkerAnswer = {
  readonly id: number;
  /** Counts instances: a prepared query lives as long as its instance. */
  readonly generation: number;
} & (
  | { readonly head: string; readonly payload: string }
  /** The instance was discarded, or never came to be. */
  | { readonly fault: "module" | "memory" | "stack" | "crash"; readonly message: string }
);

/** Place of an error: file as given, row and column from 1. */
export interface Place {
  readonly file: string;
  readonly row: number;
  readonly col: number;
}

/**
 * One error. `code` is OPA's (`rego_parse_error`, `rego_type_error`, `rego_compile_error`, `eval_builtin_error`, …; `error` when OPA
 * gives none) or the door's own: `toolchain.timeout`, `.memory`, `.stack`, `.crash`, `.module`, `.panic`, `.too_large`, `.handle`, `.closed`.
 */
export interface Problem {
  readonly code: string;
  readonly message: string;
  readonly location?: Place;
  /** Lines such as the source and a caret below it. */
  readonly details?: readonly string[];
}

/** What every call of the door gives: a value or errors; the door throws nothing. */
export type Outcome<T> =
  | { readonly ok: true; readonly value: T }
  /** `text` is the error as OPA words it. */
  | { readonly ok: false; readonly errors: readonly Problem[]; readonly text: string };

/** A failed outcome with one error of the door's own. */
export function failed(code: string, message: string): { ok: false; errors: readonly Problem[]; text: string } {
  return { ok: false, errors: [{ code, message }], text: message };
}
