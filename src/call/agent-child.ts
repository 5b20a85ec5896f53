/** Set in the environment of whatever an agent's process starts: a process that finds it decides nothing (design §8). */
export const AGENT_CHILD_VARIABLE = "REGATE_AGENT_CHILD";
