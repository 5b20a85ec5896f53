import type { RefusalCode } from "./refusals.ts";
import { REFUSALS } from "./refusals.ts";
import type { Refusal, StageId } from "./verdict.ts";

/** What a policy may say in place of the table's row. */
export interface PolicyWords {
  readonly text?: string | undefined;
  readonly remedy?: string | undefined;
}

/**
 * Makes a refusal from the frozen table.
 * @param stage stage that refuses
 * @param code row of the table
 * @param words the policy's own text and remedy, for codes whose text it may replace (design §2)
 */
export function refuse(stage: StageId, code: RefusalCode, words: PolicyWords = {}): Refusal {
  const row: { readonly text: string; readonly retryable: boolean; readonly resolve?: string } = REFUSALS[code];
  const resolve = words.remedy ?? row.resolve;
  return Object.freeze({
    stage,
    code,
    text: words.text ?? row.text,
    retryable: row.retryable || words.remedy !== undefined,
    ...(resolve === undefined ? {} : { resolve }),
  });
}
