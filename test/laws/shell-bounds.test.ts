import { describe, expect, it } from "vitest";
import { analyseCommand } from "../../src/shell/analyse.ts";

const SIZE = 65_536;

/** Milliseconds of CPU: another process on the machine changes nothing. */
function cpuTime(command: string): number {
  const start = process.cpuUsage();
  analyseCommand(command);
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

function fill(before: string, unit: string, after = ""): string {
  return before + unit.repeat(Math.floor((SIZE - before.length - after.length) / Buffer.byteLength(unit))) + after;
}

/** What the plainest script of this size costs here: on a slow machine all cost more, but what is hostile not many times as much. */
function plainCost(): number {
  cpuTime(fill("", "a;"));
  return cpuTime(fill("", "a;"));
}

/** Milliseconds. */
const LIMIT = Math.max(1000, 10 * plainCost());

const UNITS = [
  "$(",
  "`",
  "(",
  "{",
  "<<A ",
  "<<-A\n",
  "${",
  "$((",
  "$(($(",
  "[[ ",
  "((",
  "'",
  '"',
  "\\",
  "\\\n",
  "{a,",
  "{a,b}",
  "{1..9}",
  "a|",
  "a;",
  "a&&",
  "if a; then ",
  "case x in ",
  "f(){ ",
  "$'",
  "@(",
  "<(",
  ">(",
  "a=",
  "a=1 ",
  "git ",
  "sudo ",
  "eval ",
  "command ",
  "find -exec ",
  "xargs ",
  "x rm ",
  "kubectl ",
  ">a ",
  "*",
  "[",
  "s/a/b/;",
  "$x",
  '"$x"',
  "$IFS",
  "${x:-",
  "$[",
  "a[",
  "a\n",
  "#\n",
  "! ",
  "&",
  "time ",
  "coproc ",
  "env -S ",
  "bash -c ",
  "foo bash -c x ",
  "-c 'x y' ",
  "$(echo a) ",
  '"$(echo ',
  "a=$(echo ",
  "for x in a; do ",
  "while a; do ",
  "a<<<",
  "é",
  "-",
  "- ",
  "=",
];

describe("64 KiB of one hostile unit (reference: shell.md §11.5)", () => {
  it.each(UNITS)("%j costs less than a second, or than ten times as much as a plain script", (unit) => {
    expect(cpuTime(fill("", unit))).toBeLessThan(LIMIT);
    expect(cpuTime(fill("echo ", unit))).toBeLessThan(LIMIT);
  });
});

const TEXTS = [
  "a",
  "[",
  "[[",
  "(",
  "()",
  "{",
  "/",
  "\\",
  "s/a",
  "/a",
  "e",
  "print ",
  "|",
  '"a" |',
  "#",
  "/*",
  "drop ",
  "delete a,",
  "alter table ",
  "a, ",
  "open(",
  "open(a,",
  "os.",
  "\n",
  " ",
  "\t",
  ";",
  "mirror ",
  "ssh -p 1 ",
  "$",
];
const HOLDERS = [
  ["sed", "sed '", "'"],
  ["awk", "awk '", "'"],
  ["SQL", "psql -c '", "'"],
  ["Python", "python3 -c '", "'"],
  ["JavaScript", "node -e '", "'"],
  ["Perl", "perl -e '", "'"],
  ["Ruby", "ruby -e '", "'"],
  ["PHP", "php -r '", "'"],
  ["Lua", "lua -e '", "'"],
  ["R", "Rscript -e '", "'"],
  ["mongosh", "mongosh --eval '", "'"],
  ["another language", "elixir -e '", "'"],
  ["sftp", "sftp h <<< '", "'"],
  ["vim", "vim -c '", "'"],
  ["redis-cli", "redis-cli eval '", "'"],
  ["an assignment", "NODE_OPTIONS='", "' ls"],
  ["printf", "printf '", "' | sh"],
  ["nested code", "bash -c '", "'"],
  ["a here-document", "bash <<A\n", "\nA\n"],
  ["rsync", "rsync -e '", "'"],
  ["a query", "gh api -f '", "'"],
] as const;

describe("64 KiB of text inside a program's argument", () => {
  it.each(HOLDERS)("%s costs less than a second, whatever the text", (_, before, after) => {
    const slow = TEXTS.map((unit) => fill(before, unit, after)).filter((command) => cpuTime(command) >= LIMIT);
    expect(slow.map((command) => command.slice(0, 40))).toEqual([]);
  });
});
