import { describe, expect, it } from "vitest";
import { runsOrWrites } from "../../src/shell/awk.ts";
import { scanSed } from "../../src/shell/sed.ts";
import { readSql } from "../../src/shell/sql.ts";

describe("sed scripts", () => {
  it.each([
    ["s/a/b/", []],
    ["s/a/b/gI;s,c,d,2", []],
    ["s/a/e/;s/w/x/g", []],
    ["s/[/]/x/", []],
    ["s/[]/]/x/", []],
    ["s/a\\/b/c/", []],
    ["s|a|w /x|", []],
    ["1,5p", []],
    ["$d", []],
    ["/e/d", []],
    ["/a/,/w x/d", []],
    ["\\,a,d", []],
    ["0~3d;2,+4d", []],
    ["/a/!d", []],
    ["/a/{s/b/c/;p}", []],
    ["i\\\nw x", []],
    ["a w x", []],
    ["$a e ls", []],
    ["# w x", []],
    ["y/ew/we/", []],
    [":a;N;$!ba;s/\\n/ /g", []],
    ["bend;s/a/b/;:end", []],
    ["r other.txt", []],
    ["e", [{ kind: "execute" }]],
    ["1e ls", [{ kind: "execute" }]],
    ["s/a/b/e", [{ kind: "execute" }]],
    ["s/a/b/ge", [{ kind: "execute" }]],
    ["w out", [{ kind: "write", file: "out" }]],
    ["W out", [{ kind: "write", file: "out" }]],
    ["/a/w out", [{ kind: "write", file: "out" }]],
    ["1!w out", [{ kind: "write", file: "out" }]],
    ["s/a/b/w out", [{ kind: "write", file: "out" }]],
    ["s/a/b/gpw out", [{ kind: "write", file: "out" }]],
    ["p;w a;b\ns/x/y/e", [{ kind: "write", file: "a;b" }, { kind: "execute" }]],
    ["{p\nw a\n}", [{ kind: "write", file: "a" }]],
    ["k", "unreadable"],
    ["s/a/b", "unreadable"],
    ["/a", "unreadable"],
  ])("%j", (script, found) => {
    expect(scanSed(script)).toEqual(found);
  });
});

describe("awk programs", () => {
  it.each([
    ["{print $1}", false],
    ["$3 > 100 {print $1}", false],
    ["{ if ($1 > 5) print $1 }", false],
    ['{print ($1>5)?"a":"b"}', false],
    ['{print "a > b"}', false],
    ["/a > b|c/ {print}", false],
    ["a || b {print}", false],
    ['$1 ~ /x|y/ || $2 == "z"', false],
    ['{gsub(/|/, ""); print}', false],
    ["# system(x)\n{print}", false],
    ['{print "system(x)"}', false],
    ['BEGIN{system("x")}', true],
    ['BEGIN { system ( "x" ) }', true],
    ['{print > "x"}', true],
    ['{print $1 >> "x"}', true],
    ['{printf "%s", $1 > "x"}', true],
    ['{print | "sh"}', true],
    ["{print $0 | cmd}", true],
    ['"date" | getline d', true],
    ["{getline x < f}", true],
    ['{print |& "x"}', true],
    ['@load "filefuncs"', true],
  ])("%j: %j", (program, expected) => {
    expect(runsOrWrites(program)).toBe(expected);
  });
});

describe("SQL", () => {
  it.each([
    ["select 1", undefined],
    ["select 'drop table x'", undefined],
    ['select "drop table x" from t', undefined],
    ["select `delete from` from t", undefined],
    ["-- drop table x\nselect 1", undefined],
    ["/* drop table x */ select 1", undefined],
    ["select truncate(1.5, 1)", undefined],
    ["select deleted_at, dropped from drops", undefined],
    ["update t set a = 1", undefined],
    ["insert into t values ('it''s; drop table x')", undefined],
    ["create table t (deleted int)", undefined],
    ["show create table drop_table", undefined],
    ["DROP TABLE x", "destructive"],
    ["drop\n\ttable if exists x", "destructive"],
    ["drop/**/table x", "destructive"],
    ["drop -- y\n table x", "destructive"],
    ["/*!50000 drop table x */", "destructive"],
    ["drop schema s cascade", "destructive"],
    ["drop materialized view v", "destructive"],
    ["truncate x", "destructive"],
    ['TRUNCATE TABLE "x"', "destructive"],
    ["delete from x", "destructive"],
    ["delete a, b from a join b", "destructive"],
    ["delete x where y", "destructive"],
    ["alter table x add y int, drop column z", "destructive"],
    ["select pg_terminate_backend(1)", "destructive"],
    ["select 1; shutdown", "destructive"],
    ["do $$ begin execute 'drop table x'; end $$", "destructive"],
    ["prepare s from 'delete from x'; execute s", "destructive"],
    ["copy t to program 'rm x'", "unverifiable"],
    ["exec xp_cmdshell 'dir'", "unverifiable"],
    [".read x.sql", "unverifiable"],
    ["insert overwrite table t select 1", "destructive"],
    ["select * into outfile '/x' from t", "destructive"],
  ])("%j: %j", (text, expected) => {
    expect(readSql(text)).toBe(expected);
  });
});
