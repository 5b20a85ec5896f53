import { z } from "zod";
import { createProfile, editProfile, renameProfile, switchTo, useSandbox } from "../session/profile-changes.ts";
import type { ProfileChange } from "../session/profile-changes.ts";
import { activeOf } from "../session/profile-document.ts";
import { activeProfileSchema, onStore } from "./profile-kit.ts";
import type { ProfilePorts } from "./profile-kit.ts";
import type { Tool } from "./tool.ts";

const TIMEOUT_MS = 10_000;

/** Longer than any label: the handler judges labels, the schema only keeps the answer small. */
const text = z.string().max(1_024, "is too long");
const label = text.describe("label of a profile");
const oneLabel = z.strictObject({ label });

/** The tools that change profiles: three switches, which re-arm the gate before they run, and two that are none (design §6; seed 000). */
export function profileChangeTools(ports: ProfilePorts): readonly Tool[] {
  return [
    changeTool(ports, {
      name: "config_switch",
      title: "Switch the profile",
      description: "Makes another profile the active one. After it, read who is active again before the next call that changes something.",
      input: oneLabel,
      change: (args) => switchTo((args as z.infer<typeof oneLabel>).label),
    }),
    changeTool(ports, {
      name: "config_profile_create",
      title: "Create a profile",
      description: "Creates a profile and makes it the active one. After it, read who is active again.",
      input: oneLabel,
      change: (args) => createProfile((args as z.infer<typeof oneLabel>).label),
    }),
    changeTool(ports, {
      name: "config_profile_sandbox_use",
      title: "Enter a sandbox",
      description: "Makes the sandbox profile `sandbox:<label>` the active one; a new one is made. After it, read who is active again.",
      input: oneLabel,
      change: (args) => useSandbox((args as z.infer<typeof oneLabel>).label),
    }),
    renameTool(ports),
    editTool(ports),
  ];
}

function renameTool(ports: ProfilePorts): Tool {
  const input = z.strictObject({ label, new_label: text.describe("its new label") });
  return changeTool(ports, {
    name: "config_profile_rename",
    title: "Rename a profile",
    description: "Gives a profile another label. The active profile stays the active one.",
    input,
    change(args) {
      const given = args as z.infer<typeof input>;
      return renameProfile(given.label, given.new_label);
    },
  });
}

function editTool(ports: ProfilePorts): Tool {
  const input = z.strictObject({
    label: label.optional().describe("label of a profile; the active one unless given"),
    description: text.optional().describe("what the profile is for, at most 200 visible characters; empty: none"),
  });
  return changeTool(ports, {
    name: "config_profile_edit",
    title: "Edit a profile",
    description: "Changes the description of a profile. The active profile stays the active one.",
    input,
    change(args) {
      const given = args as z.infer<typeof input>;
      return editProfile(given.label, given.description);
    },
  });
}

interface ChangeSpec extends Pick<Tool, "name" | "title" | "description" | "input"> {
  readonly change: (args: unknown) => ProfileChange;
}

function changeTool({ profiles }: ProfilePorts, { change, ...spec }: ChangeSpec): Tool {
  return {
    ...spec,
    output: z.strictObject({ active_profile: activeProfileSchema }),
    timeoutMs: TIMEOUT_MS,
    async handler(args) {
      const changed = onStore(() => profiles.update(change(args)));
      return { structured: { active_profile: activeOf(changed)?.label ?? null } };
    },
  };
}
