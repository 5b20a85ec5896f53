/** The pattern is not valid RE2 syntax: in OPA an error of the builtin, so undefined. */
export class PatternError extends Error {
  override readonly name = "PatternError";
}
