import { afterAll, describe, expect, it } from "vitest";
import { REFUSALS } from "../../src/gate/refusals.ts";
import { loadEngine } from "../../src/policy/load.ts";

// Seed 000: no interpolation, names the reads that clear it, the same bytes on every path.
const TEXT =
  "identity: not confirmed in this session: read who is active first (whoami, config.profile.status or overview.status), then repeat the call; one read is enough until the profile is switched";

const engine = await loadEngine("wasm/identity-gate");
afterAll(() => engine.close());

describe("the refusal of an unconfirmed identity", () => {
  it("is one text in the frozen table and in the policy", () => {
    expect(REFUSALS["identity.unconfirmed"]).toEqual({ text: TEXT, retryable: true, resolve: "identity_read" });
    expect(engine.decide({})).toEqual({
      allow: false,
      reasons: [{ code: "identity.unconfirmed", rule: "identity_gate", message: TEXT, remedy: "identity_read" }],
      deny_reason: TEXT,
      effect: "none",
      confirm: "none",
    });
  });

  it.each(["direct", "execute", "script", "delegated"])("is the same on the path %s, whatever the call", (path) => {
    const calls = [
      { command: "run_shell", arguments: { command: "echo x" }, tool: { command_key: "run_shell" } },
      {
        command: "config_profile_edit",
        arguments: { label: "erika" },
        tool: { command_key: "config.profile.edit" },
        profile: { active: "erik" },
      },
    ];
    for (const call of calls) expect(engine.decide({ ...call, path }).deny_reason).toBe(TEXT);
  });
});
