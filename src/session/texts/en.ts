/** English: the texts that stand in wherever a language has none. */
export const en = Object.freeze({
  "identity.unconfirmed":
    "identity: not confirmed in this session: read who is active first (whoami, config.profile.status or overview.status), then repeat the call; one read is enough until the profile is switched",
  "echo.active": 'Active profile: "{label}"',
  "echo.none": "Active profile: (none is active)",
  "question.command": "The agent asks to run {command}.",
  "question.handoff": "It hands something over to others; that cannot be taken back.",
  "question.destructive": "It changes or destroys data of the active profile.",
  "question.policy": "The policy wants your consent to this call.",
  "question.shell.destructive": "It runs a shell command; the classifier calls it destructive{rules}.",
  "question.shell.unverifiable": "It runs a shell command; the classifier cannot tell what it does{rules}.",
  "question.shell.clear": "It runs a shell command; the classifier found nothing destructive in it.",
  "question.closing": "Nothing has run yet. Confirm only if this is what you want.",
  "question.yes": "Run it",
  "question.choice": "yes runs the call, no refuses it",
});
