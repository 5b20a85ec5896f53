/** The variables of our own environment that a stdio server gets (reference/gateway.md, Environment). */
const INHERITED = ["HOME", "LANG", "LC_ALL", "LC_CTYPE", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER"] as const;

/**
 * The exact environment of a stdio server: the inherited names that are set, plus its entry's own.
 * @param own environment of this process
 * @param given `env` of the entry; it wins
 */
export function upstreamEnvironment(
  own: Readonly<Record<string, string | undefined>>,
  given: Readonly<Record<string, string>>,
): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const name of INHERITED) {
    const value = own[name];
    if (value !== undefined) environment[name] = value;
  }
  return { ...environment, ...given };
}
