import { describe, expect, it } from "vitest";
import { analyseCommand } from "../../src/shell/analyse.ts";
import { SHIPPED_TABLES } from "../../src/shell/tables/build.ts";

function briefly(command: string, options = {}): string[] {
  return analyseCommand(command, options).findings.map((finding) => `${finding.rule} ${finding.word} ${finding.start}-${finding.end}`);
}

describe("the whole result", () => {
  it("of a harmless command", () => {
    expect(analyseCommand("cd src && ls -la | head -3")).toEqual({
      verdict: "clear",
      verifiable: true,
      destructive: false,
      findings: [],
      commands: [
        { name: "cd", argv: ["cd", "src"], via: [] },
        { name: "ls", argv: ["ls", "-la"], via: [] },
        { name: "head", argv: ["head", "-3"], via: [] },
      ],
      redirects: [],
    });
  });

  it("of a destructive one, through wrappers and nested code", () => {
    expect(analyseCommand(`sudo -u app bash -c 'rm -rf "$1"' _ build > log`)).toEqual({
      verdict: "destructive",
      verifiable: true,
      destructive: true,
      findings: [
        { rule: "destructive.program", verdict: "destructive", word: "rm", start: 20, end: 33 },
        { rule: "overwrite.redirect", verdict: "destructive", word: "log", start: 42, end: 47 },
      ],
      commands: [{ name: "rm", argv: ["rm", "-rf", { dynamic: true, text: '"$1"' }], via: ["sudo", "bash"] }],
      redirects: [{ op: ">", target: "log" }],
    });
  });

  it("of one that cannot be read", () => {
    expect(analyseCommand("$TOOL *.txt")).toEqual({
      verdict: "unverifiable",
      verifiable: false,
      destructive: false,
      findings: [{ rule: "unverifiable.dynamic-command", verdict: "unverifiable", word: "$TOOL", start: 0, end: 5 }],
      commands: [
        {
          name: "",
          argv: [
            { dynamic: true, text: "$TOOL" },
            { dynamic: true, text: "*.txt" },
          ],
          via: [],
        },
      ],
      redirects: [],
    });
  });

  it("is destructive, and not verifiable, when one part is each", () => {
    expect(analyseCommand("$x; rm y")).toMatchObject({ verdict: "destructive", verifiable: false, destructive: true });
  });
});

describe("findings", () => {
  it("stand in source order, identical ones once", () => {
    expect(briefly("rm a; $x; rm b > c")).toEqual([
      "destructive.program rm 0-2",
      "unverifiable.dynamic-command $x 6-8",
      "destructive.program rm 10-12",
      "overwrite.redirect c 15-18",
    ]);
    expect(briefly("bash -c 'rm a; rm b; rm a'")).toEqual(["destructive.program rm 8-26"]);
  });

  it("are at most 64, the last one says that there are more", () => {
    const { findings } = analyseCommand("rm a; ".repeat(100));
    expect(findings).toHaveLength(64);
    expect(findings[62]).toEqual({ rule: "destructive.program", verdict: "destructive", word: "rm", start: 372, end: 374 });
    expect(findings[63]).toEqual({ rule: "findings.truncated", verdict: "destructive", word: "", start: 378, end: 596 });
    expect(analyseCommand("rm a; ".repeat(64)).findings.map((finding) => finding.rule)).not.toContain("findings.truncated");
  });

  it("keep the verdict of a part that the cap cuts off", () => {
    const command = `${"$x; ".repeat(80)}rm y`;
    expect(analyseCommand(command)).toMatchObject({ verdict: "destructive" });
    expect(analyseCommand(command).findings.at(-1)).toMatchObject({ rule: "findings.truncated", verdict: "destructive" });
  });

  it("show long words shortened at a code-point border", () => {
    const [finding] = analyseCommand(`echo > "${"😀".repeat(300)}"`).findings;
    expect(finding!.word).toBe(`${"😀".repeat(100)}…`);
  });
});

describe("commands and redirects for policy (trials R09, C04)", () => {
  it.each([
    ["> /srv/app/config.yml", [{ name: "", argv: [], via: [] }], [{ op: ">", target: "/srv/app/config.yml" }]],
    ["PATH=/tmp/x", [{ name: "", argv: ["PATH=/tmp/x"], via: [] }], []],
    ["x=1 y=2 > z", [{ name: "", argv: ["x=1", "y=2"], via: [] }], [{ op: ">", target: "z" }]],
    ["(( x = 1 ))", [{ name: "((", argv: ["(("], via: [] }], []],
    ["[[ -f x ]]", [{ name: "[[", argv: ["[["], via: [] }], []],
    ["", [], []],
    ["# only words", [], []],
  ])("%j has an entry for everything that it runs", (command, commands, redirects) => {
    expect(analyseCommand(command)).toMatchObject({ commands, redirects });
  });

  it.each([
    ["find . -exec grep -l x {} +", ["find", "find>grep"]],
    ["ls | xargs -n1 wc", ["ls", "xargs", "xargs>wc"]],
    ["ssh host 'uptime; df'", ["ssh", "ssh>uptime", "ssh>df"]],
    ["docker exec web ls", ["docker", "docker>ls"]],
    ["kubectl exec web -- sh -c ls", ["kubectl", "kubectl>sh>ls"]],
    ["env A=1 nice -n 5 timeout 3 ls", ["env>nice>timeout>ls"]],
    ["sudo -l", ["sudo"]],
    ["echo $(date)", ["date", "echo"]],
    ["f() { ls; }; f", ["ls", "f"]],
    ["bash -c ''", ["bash"]],
    ["cat <<< $(id) < x", ["id", "cat"]],
  ])("%j runs %j", (command, expected) => {
    expect(analyseCommand(command).commands.map(({ name, via }) => [...via, name].join(">"))).toEqual(expected);
  });

  it("refuses to list a part only of very many commands", () => {
    const analysis = analyseCommand("a; ".repeat(1100));
    expect(analysis.commands).toHaveLength(1024);
    expect(analysis.findings[0]!.rule).toBe("unverifiable.too-many-commands");
  });
});

describe("texts that are not analysed (trials P09)", () => {
  it.each([
    ["NUL", "ls \0", "unverifiable.nul"],
    ["nothing", "", "unverifiable.empty"],
    ["blanks", " \n\t ", "unverifiable.empty"],
    ["an escape character", "ls \u001B[2J", "unverifiable.control-character"],
    ["a C1 control", "ls \u009B2J", "unverifiable.control-character"],
    ["a bidirectional override", "echo ok \u202E; mr-", "unverifiable.hidden-character"],
    ["a bidirectional isolate", "echo \u2066x\u2069", "unverifiable.hidden-character"],
    ["a zero-width space", "r\u200Bm x", "unverifiable.hidden-character"],
    ["a word joiner", "ls \u2060", "unverifiable.hidden-character"],
    ["a byte order mark", "\uFEFFls", "unverifiable.hidden-character"],
    ["a line separator", "ls\u2028rm x", "unverifiable.hidden-character"],
    ["a tag character", "ls \u{E0041}", "unverifiable.hidden-character"],
    ["a lone surrogate", "ls \uD800", "unverifiable.not-well-formed"],
    ["65,537 bytes", "a".repeat(65_537), "unverifiable.too-long"],
    ["65,537 bytes in fewer characters", `echo ${"é".repeat(32_766)}`, "unverifiable.too-long"],
  ])("%s", (_, command, rule) => {
    expect(analyseCommand(command)).toMatchObject({ verdict: "unverifiable", verifiable: false, commands: [], findings: [{ rule }] });
  });

  it.each([[null], [undefined], [7], [{ command: "ls" }]])("%j, which is no text", (command) => {
    const analysis = analyseCommand(command as unknown as string, { match: "text" });
    expect(analysis).toMatchObject({ verdict: "unverifiable", findings: [{ rule: "unverifiable.not-text", start: 0, end: 0 }] });
  });

  it("takes 65,536 bytes and ordinary foreign text", () => {
    expect(analyseCommand(`echo ${"a".repeat(65_531)}`).verdict).toBe("clear");
    expect(analyseCommand("echo 'Grüße, 世界 😀' | cat\t-\r\n").verdict).toBe("clear");
  });
});

describe("options", () => {
  it("text adds the seed's substrings, words does not", () => {
    expect(briefly("npm run Confirm -- x", { match: "text" })).toEqual(["text.fragment rm 13-15"]);
    expect(briefly("npm run Confirm -- x")).toEqual([]);
    expect(briefly("echo 'kubectl DELETE pod'", { match: "text" })).toEqual([
      "text.fragment kubectl delete 6-20",
      "text.fragment delete 14-20",
    ]);
    expect(briefly("echo İrm", { match: "text" })).toEqual(["text.fragment rm 6-8"]);
  });

  it("text searches a text that words refuses", () => {
    expect(briefly("rm \0", { match: "text" })).toEqual(["text.fragment rm 0-2", "unverifiable.nul  0-4"]);
  });

  it("gitHelpers tells that configured helpers may run (trials C03)", () => {
    const outside = (command: string) => briefly(command, { gitHelpers: "unverifiable" });
    expect(outside("git status")).toEqual(["unverifiable.git.helpers git 0-3"]);
    expect(outside("git diff")).toEqual(["unverifiable.git.helpers git 0-3"]);
    const safe = "git -c core.fsmonitor=false -c core.hooksPath=/dev/null --no-pager";
    expect(outside(`${safe} status`)).toEqual([]);
    expect(outside(`${safe} diff --no-ext-diff --no-textconv`)).toEqual([]);
    expect(outside(`${safe} diff`)).toEqual(["unverifiable.git.helpers git 0-3"]);
    expect(outside(`${safe} st`)).toEqual(["unverifiable.git.helpers git 0-3"]);
    expect(outside("git --version")).toEqual([]);
    expect(briefly("git status")).toEqual([]);
  });

  it("a fault of ours is unverifiable, never an exception", () => {
    const programs = {
      get: () => {
        throw new Error("broken table");
      },
    } as unknown as typeof SHIPPED_TABLES.programs;
    expect(analyseCommand("ls", { tables: { ...SHIPPED_TABLES, programs } })).toMatchObject({
      verdict: "unverifiable",
      findings: [{ rule: "unverifiable.fault", verdict: "unverifiable", word: "", start: 0, end: 2 }],
    });
  });
});

describe("names that JavaScript knows are plain words", () => {
  it.each(["constructor", "__proto__", "toString", "hasOwnProperty"])("%s", (word) => {
    expect(analyseCommand(`${word} x; ${word}=1; echo $${word}; git ${word}; redis-cli ${word}; docker ${word}`).verdict).toBe("clear");
  });
});
