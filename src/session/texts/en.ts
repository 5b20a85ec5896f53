/** English: the texts that stand in wherever a language has none. */
export const en = Object.freeze({
  "identity.unconfirmed":
    "identity: not confirmed in this session: read who is active first (whoami, config.profile.status or overview.status), then repeat the call; one read is enough until the profile is switched",
  "echo.active": 'Active profile: "{label}"',
  "echo.none": "Active profile: (none is active)",
});
