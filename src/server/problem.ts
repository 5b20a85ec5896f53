/** The message of whatever was thrown. */
export function messageOf(problem: unknown): string {
  return problem instanceof Error ? problem.message : String(problem);
}

/** The same, and in brackets why: the code of its cause such as `EACCES`, else what the cause says. */
export function withCause(problem: unknown): string {
  const cause = problem instanceof Error ? problem.cause : undefined;
  if (!(cause instanceof Error)) return messageOf(problem);
  return `${messageOf(problem)} (${"code" in cause && typeof cause.code === "string" ? cause.code : cause.message})`;
}
