import { describe, expect, it } from "vitest";
import { makeCall } from "../../src/call/make-call.ts";
import { riskClass } from "../../src/call/risk-table.ts";
import type { ShellAnalysis } from "../../src/call/tool-call.ts";
import { declaredFacts } from "../../src/server/facts.ts";
import { questionAbout } from "../../src/server/question.ts";
import type { SessionView } from "../../src/session/session.ts";
import { analyseCommand } from "../../src/shell/analyse.ts";

const RISK = { file_it: { handoff: true }, both: { handoff: true, destructive: true }, drop: { destructive: true }, plain: {} };

function asked(tool: string, parts: { args?: object; label?: string | null; locale?: string; analyse?: () => ShellAnalysis } = {}) {
  const { args = {}, label = "Erika", locale, analyse = analyseCommand } = parts;
  const { call } = makeCall({
    tool,
    arguments: args,
    path: "direct",
    time: "2026-01-01T00:00:00Z",
    factsOf: declaredFacts(undefined, RISK),
    analyse,
    riskOf: riskClass,
  });
  return questionAbout({ call, session: { profile: { active: label } } as SessionView, locale });
}

describe("questionAbout", () => {
  it.each<[string, string[]]>([
    ["file_it", ["It hands something over to others; that cannot be taken back."]],
    ["drop", ["It changes or destroys data of the active profile."]],
    ["both", ["It hands something over to others; that cannot be taken back.", "It changes or destroys data of the active profile."]],
    ["plain", ["The policy wants your consent to this call."]],
    ["undeclared", ["The policy wants your consent to this call."]],
  ])("names whose data, the command and what it does: %s", (tool, consequences) => {
    expect(asked(tool).message).toBe(
      [
        'Active profile: "Erika"',
        "",
        `The agent asks to run \`${tool}\`.`,
        ...consequences,
        "Nothing has run yet. Confirm only if this is what you want.",
      ].join("\n"),
    );
  });

  it("asks one required boolean", () => {
    expect(asked("drop").requestedSchema).toEqual({
      type: "object",
      properties: { confirm: { type: "boolean", title: "Run it", description: "yes runs the call, no refuses it" } },
      required: ["confirm"],
    });
  });

  it.each([
    ["rm -rf /srv/secret", "It runs a shell command; the classifier calls it destructive (destructive.program)."],
    ['"$X" /srv/secret', "It runs a shell command; the classifier cannot tell what it does ("],
    ["ls /srv/secret", "It runs a shell command; the classifier found nothing destructive in it."],
  ])("says of a command what the classifier says, and nothing of the command: %s", (command, said) => {
    const { message } = asked("run_shell", { args: { command } });
    expect(message.split("\n")[3]).toContain(said);
    expect(message).not.toContain("srv");
  });

  it("names five rules at most, each once", () => {
    const finding = (rule: string) => ({ rule, verdict: "destructive" as const, word: "secret", start: 0, end: 1 });
    const findings = ["a", "a", "b", "c", "d\u202e", "e", "f", "g"].map(finding);
    const analysis = { verdict: "destructive" as const, verifiable: true, destructive: true, findings, commands: [], redirects: [] };
    const { message } = asked("run_shell", { args: { command: "x" }, analyse: () => analysis });
    expect(message.split("\n")[3]).toBe("It runs a shell command; the classifier calls it destructive (a, b, c, d\\u{202e}, e, + 2).");
  });

  it.each([
    ["config_profile_edit", "`config.profile.edit` (`config_profile_edit`)"],
    ["whoami", "`whoami`"],
    ["a`b", "`a\\u{60}b`"],
    ["a\nRisk: none", "`a\\u{a}Risk: none`"],
    ["a\u202eb\u200b\ue000", "`a\\u{202e}b\\u{200b}\\u{e000}`"],
    ["{command}$&", "`{command}$&`"],
  ])("[P09] shows a name so that it hides nothing: %j", (tool, shown) => {
    expect(asked(tool).message.split("\n")[2]).toBe(`The agent asks to run ${shown}.`);
  });

  it.each([[null], [""], ["   "]])("has a neutral placeholder where no profile is active: %j", (label) => {
    expect(asked("drop", { label }).message.split("\n", 2)).toEqual(["Active profile: (none is active)", ""]);
  });

  it("[P09] a label cannot add lines", () => {
    const { message } = asked("drop", { label: 'Erika"\n\nThe agent asks to run `whoami`.\u2028\u0000' });
    expect(message.split("\n")).toHaveLength(5);
    expect(message.split("\n")[0]).toBe('Active profile: "Erika"\\u{a}\\u{a}The agent asks to run `whoami`.\\u{2028}\\u{0}"');
  });

  it.each(["de", "es", "ca"])("speaks %s", (locale) => {
    for (const [tool, command] of [["both"], ["plain"], ["run_shell", "rm x"], ["run_shell", '"$X"'], ["run_shell", "ls"]] as const) {
      const args = { command };
      const [said, english] = [asked(tool, { args, locale }), asked(tool, { args })];
      const lines = said.message.split("\n");
      expect(lines).toHaveLength(english.message.split("\n").length);
      for (const [at, line] of english.message.split("\n").entries()) if (line !== "") expect(lines[at]).not.toBe(line);
      expect(said.message).toContain(`\`${tool}\``);
      expect(said.message).not.toMatch(/[{}]/);
      expect(said.requestedSchema.properties.confirm.title).not.toBe(english.requestedSchema.properties.confirm.title);
    }
  });
});
