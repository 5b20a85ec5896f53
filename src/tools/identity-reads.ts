import { z } from "zod";
import { activeProfileSchema, onStore, shownProfile, shownProfiles, shownProfileSchema } from "./profile-kit.ts";
import type { ProfilePorts } from "./profile-kit.ts";
import type { Tool } from "./tool.ts";

const TIMEOUT_MS = 10_000;
const NONE = "(no active profile)";

const RULES = [
  "Before the first call that changes something, and again after each switch of the profile, read who is active: whoami, config.profile.status or overview.status.",
  "Compare the label with the one that the human meant. Only the human can tell whether it is the right one; when in doubt, ask.",
  "A switch is config.switch, config.profile.create or config.profile.sandbox.use. Renaming or editing a profile is no switch.",
  "A refusal is a result with isError; its `resolve` says what helps. A refused call has changed nothing.",
  "Every call is on record, refused ones too.",
] as const;

/** whoami (design §6): who is active, and on whose behalf this server works. The primary identity read. */
export function whoamiTool(): Tool {
  return {
    name: "whoami",
    title: "Who am I",
    description:
      "Says which profile is active. Call it before the first call that changes something and after each switch of the profile: until then such calls are refused.",
    input: z.strictObject({}),
    output: z.strictObject({
      active_profile: activeProfileSchema,
      agent_id: z.string(),
      session_id: z.string(),
      user: z.string(),
    }),
    timeoutMs: TIMEOUT_MS,
    async handler(_args, { session }) {
      const active = shownProfile(session);
      const { agentId, sessionId } = session.claim;
      return {
        structured: { active_profile: active, agent_id: agentId, session_id: sessionId, user: session.user },
        text: `active profile: ${active ?? NONE}\nagent: ${agentId}\nsession: ${sessionId}\nuser: ${session.user}`,
      };
    },
  };
}

/** harness_load (design §6): the rules of work, and the identity block; a near-universal first call, so it counts as a read (seed 000). */
export function harnessLoadTool(): Tool {
  return {
    name: "harness_load",
    title: "Load the rules of work",
    description: "Returns the rules for working behind this gate, and which profile is active. A good first call of a session.",
    input: z.strictObject({}),
    output: z.strictObject({ active_profile: activeProfileSchema, rules: z.array(z.string()) }),
    timeoutMs: TIMEOUT_MS,
    async handler(_args, { session }) {
      const active = shownProfile(session);
      return {
        structured: { active_profile: active, rules: [...RULES] },
        text: [`active profile: ${active ?? NONE}`, "", ...RULES.map((rule) => `- ${rule}`)].join("\n"),
      };
    },
  };
}

/** config_profile_status (design §6): the active profile and all others, by label. */
export function profileStatusTool({ profiles }: ProfilePorts): Tool {
  return {
    name: "config_profile_status",
    title: "Profile status",
    description: "Says which profile is active and lists all profiles by label.",
    input: z.strictObject({}),
    output: z.strictObject({ active_profile: activeProfileSchema, profiles: z.array(shownProfileSchema) }),
    timeoutMs: TIMEOUT_MS,
    async handler(_args, { session }) {
      const active = shownProfile(session);
      return { structured: { active_profile: active, profiles: shownProfiles(onStore(() => profiles.read())) } };
    },
  };
}

/** overview_status (design §6): the active profile, and what this session has done so far. */
export function overviewStatusTool({ profiles }: ProfilePorts): Tool {
  const count = z.int().nonnegative();
  return {
    name: "overview_status",
    title: "Overview",
    description: "Says which profile is active, how many there are, and what this session has done so far.",
    input: z.strictObject({}),
    output: z.strictObject({ active_profile: activeProfileSchema, profiles: count, calls: count, denied: count, running: count }),
    timeoutMs: TIMEOUT_MS,
    async handler(_args, { session }) {
      const active = shownProfile(session);
      const { calls, denied, running } = session.usage;
      return { structured: { active_profile: active, profiles: onStore(() => profiles.read()).profiles.length, calls, denied, running } };
    },
  };
}
