import { describe, expect, it } from "vitest";
import { analyseCommand } from "../../src/shell/analyse.ts";
import { expandBraces } from "../../src/shell/braces.ts";

/** The words of the last simple command; a dynamic word stands in angle brackets. */
function lastWords(command: string): string[] {
  const { commands } = analyseCommand(command);
  return commands.at(-1)!.argv.map((word) => (typeof word === "string" ? word : `<${word.text}>`));
}

describe("words after dequoting (reference: shell.md §5.4)", () => {
  it.each([
    [`a "b c" 'd e' f\\ g`, ["a", "b c", "d e", "f g"]],
    [`a $'\\x72\\u006d' $"hi" x""y`, ["a", "rm", "hi", "xy"]],
    [`a "q\\"r\\$s\\\\t" '\\n'`, ["a", `q"r$s\\t`, "\\n"]],
    ["a b\\\nc", ["a", "bc"]],
    ['a $x "$x" ${x} ${x:-y} $1', ["a", "<$x>", '<"$x">', "<${x}>", "<${x:-y}>", "<$1>"]],
    ["a *.ts [ab] '*'", ["a", "<*.ts>", "<[ab]>", "*"]],
    ["a $(date) `date` <(ls)", ["a", "<$(date)>", "<`date`>", "<<(ls)>"]],
    ["a $((1+2*3)) $((x+1)) $[7-2] $((010|1))", ["a", "7", "<$((x+1))>", "5", "9"]],
    [
      "a {b,c}{1,2} {x} {a..c} {3..1} {01..03} {b,'c d'}",
      ["a", "b1", "b2", "c1", "c2", "{x}", "a", "b", "c", "3", "2", "1", "01", "02", "03", "b", "c d"],
    ],
    ["a $(echo b c) \"$(echo b c)\" $(printf '%s-%s' x y) $(true) x$(:)y", ["a", "b", "c", "b c", "x-y", "xy"]],
    ["a $(cat <<< b) $(cat <<X\nc\nX\n)", ["a", "b", "c"]],
    ["a ~/x", ["a", "~/x"]],
    ["a \"\" ''", ["a", "", ""]],
  ])("%j", (command, words) => {
    expect(lastWords(command)).toEqual(words);
  });
});

describe("values of variables", () => {
  it.each([
    ['x=b; a $x "$x" ${x}c', ["a", "b", "b", "bc"]],
    ["x='b c'; a $x \"$x\"", ["a", "b", "c", "b c"]],
    ["x=b x=c; a $x", ["a", "c"]],
    ["x=b; x=$y; a $x", ["a", "<$x>"]],
    ["x=b; x+=c; a $x", ["a", "<$x>"]],
    ["x=b; unset x; a $x", ["a", "<$x>"]],
    ["x=b; read x; a $x", ["a", "<$x>"]],
    ["x=b; printf -v x c; a $x", ["a", "<$x>"]],
    ["x=b; for x in c; do a $x; done", ["a", "<$x>"]],
    ["x=b a $x", ["a", "<$x>"]],
    ["x=b; x=c ls; a $x", ["a", "b"]],
    ["if y; then x=b; fi; a $x", ["a", "<$x>"]],
    ["y && x=b; a $x", ["a", "<$x>"]],
    ["(x=b); a $x", ["a", "<$x>"]],
    ["x=b & a $x", ["a", "<$x>"]],
    ["f() { x=c; }; x=b; f; a $x", ["a", "<$x>"]],
    ["x=b; f() { a $x; }", ["a", "<$x>"]],
    ["trap 'x=c' DEBUG; x=b; a $x", ["a", "<$x>"]],
    ["x=b; while y; do x=c; done; a $x", ["a", "<$x>"]],
    ["x=b; eval 'x=c'; a $x", ["a", "c"]],
    ["x=b; bash -c 'a $x'", ["a", "<$x>"]],
    ["x=b; bash -c 'x=c'; a $x", ["a", "b"]],
    ["export x=b; a $x", ["a", "b"]],
    ["x=(b c); a $x", ["a", "<$x>"]],
    ["x[0]=b; a $x", ["a", "<$x>"]],
    ["IFS=,; x=b,c; a $x", ["a", "<$x>"]],
    ["a$IFS-b${IFS}c", ["a", "-b", "c"]],
    ["x='*.ts'; a $x \"$x\"", ["a", "<$x>", "*.ts"]],
    ["((x=5)); a $x", ["a", "<$x>"]],
    ["x=b; echo ${x:=c}; a $x", ["a", "<$x>"]],
  ])("%j", (command, words) => {
    expect(lastWords(command)).toEqual(words);
  });

  it("keeps the text that a value would have where it may have another one", () => {
    expect(analyseCommand("if y; then f=--force; fi; git push $f").findings.map((finding) => finding.rule)).toEqual([
      "destructive.git.push-force",
    ]);
  });
});

describe("brace expansion", () => {
  it.each([
    ["{a,b}", ["a", "b"]],
    ["x{a,b}y", ["xay", "xby"]],
    ["{a,{b,c}}", ["a", "b", "c"]],
    ["{a,b}{c,d}", ["ac", "ad", "bc", "bd"]],
    ["{,x}", ["", "x"]],
    ["{a}", ["{a}"]],
    ["{a,b", ["{a,b"]],
    ["\\{a,b}", ["\\{a,b}"]],
    ["'{a,b}'", ["'{a,b}'"]],
    ["{'a,b',c}", ["'a,b'", "c"]],
    ["${x,,}", ["${x,,}"]],
    ["{$(a,b),c}", ["$(a,b)", "c"]],
    ["{1..4..2}", ["1", "3"]],
    ["{c..a}", ["c", "b", "a"]],
    ["{-1..1}", ["-1", "0", "1"]],
    ["{a..3}", ["{a..3}"]],
    ["{08..10}", ["08", "09", "10"]],
  ])("%s", (raw, expected) => {
    expect(expandBraces(raw)).toEqual(expected);
  });

  it("gives up beyond 64 results", () => {
    expect(expandBraces("{1..64}")).toHaveLength(64);
    expect(expandBraces("{1..65}")).toBeUndefined();
    expect(expandBraces("{1..999999999}")).toBeUndefined();
    expect(expandBraces("{a,b}".repeat(7))).toBeUndefined();
  });
});
