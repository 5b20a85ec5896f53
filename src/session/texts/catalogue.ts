import { ca } from "./ca.ts";
import { de } from "./de.ts";
import { en } from "./en.ts";
import { es } from "./es.ts";

/** Keys of the texts that are said in the language of the human or the agent. */
export type TextKey = keyof typeof en;

/** All texts of one language; `{label}`, `{command}` and `{rules}` stand for what is put in their place. */
export type Texts = Readonly<Record<TextKey, string>>;

/** The catalogue, by language; English is complete by construction and stands in for whatever is missing. */
export const CATALOGUE: ReadonlyMap<string, Partial<Texts>> = new Map(Object.entries({ en, es, ca, de }));

/**
 * A text in the language of a locale, else in English (seed 000: localised).
 * @param locale its language alone counts: `de-AT` is German
 */
export function textIn(locale: string | undefined, key: TextKey): string {
  const language = (locale ?? "en").split(/[-_.@]/, 1)[0]?.toLowerCase() ?? "en";
  return CATALOGUE.get(language)?.[key] ?? en[key];
}
