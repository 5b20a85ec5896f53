/**
 * Whether this agent may use a tool at all (design §4). Without an allowlist the policy is the only tool gate; with one, also an empty
 * one, the name must be on it. Names are compared exactly: no trimming, case or width folding; whether the tool exists does not matter.
 */
export function isEntitled(tool: string, allowlist: ReadonlySet<string> | undefined): boolean {
  return allowlist === undefined || allowlist.has(tool);
}
