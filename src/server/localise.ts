import { refuse } from "../gate/refuse.ts";
import { REFUSALS } from "../gate/refusals.ts";
import type { Verdict } from "../gate/verdict.ts";
import { textIn } from "../session/texts/catalogue.ts";

const CODE = "identity.unconfirmed";

/**
 * Says the refusal of an unconfirmed identity in the language of a locale (seed 000: localised). Policy speaks English; words of its own,
 * which the catalogue does not know, stay as they are.
 */
export function localised(verdict: Verdict, locale: string | undefined): Verdict {
  if (locale === undefined || verdict.admitted) return verdict;
  const { refusal } = verdict;
  if (refusal.code !== CODE || refusal.text !== REFUSALS[CODE].text) return verdict;
  return { ...verdict, refusal: refuse(refusal.stage, CODE, { text: textIn(locale, CODE), remedy: refusal.resolve }) };
}
