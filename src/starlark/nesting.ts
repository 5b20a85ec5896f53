/** A string literal from its opening quote, also one that is never closed, or a comment, or one bracket. */
const TOKEN = /"""(?:\\.|[^\\])*?(?:"""|$)|'''(?:\\.|[^\\])*?(?:'''|$)|"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?|#[^\n]*|[([{)\]}]/gs;

/**
 * The deepest nesting of brackets outside strings and comments. A guard for the parser, which recurses: it never says less than the parser
 * will find in a valid program, and takes time linear in the source.
 */
export function bracketNesting(source: string): number {
  let open = 0;
  let deepest = 0;
  for (const [token] of source.matchAll(TOKEN)) {
    if (token === "(" || token === "[" || token === "{") deepest = Math.max(deepest, ++open);
    else if (token === ")" || token === "]" || token === "}") open = Math.max(0, open - 1);
  }
  return deepest;
}
