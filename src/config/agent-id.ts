/** Agent ids: 1 to 128 visible ASCII characters that start with a letter or digit, so that an id is safe in logs and file names of tools. */
const AGENT_ID = /^[A-Za-z0-9][A-Za-z0-9._:@/+=-]{0,127}$/;

/** What is wrong with an agent id, or undefined (design §3; reference governed-tools §6). */
export function agentIdProblem(value: unknown): string | undefined {
  if (typeof value === "string" && AGENT_ID.test(value)) return undefined;
  return "must be 1 to 128 letters, digits or `._:@/+=-` and start with a letter or digit";
}

/** Agent id of a process that was given none (seed 003, process claim). */
export function defaultAgentId(pid: number): string {
  return `mcp-${pid}`;
}
