import { type Arbitrary, array, constantFrom, oneof, sample, tuple } from "fast-check";

/** Shell code; `simple` when it is one command of plain words, which any wrapper of programs takes. */
export interface Code {
  readonly text: string;
  readonly simple: boolean;
}

/** A way to run code. */
export type Wrap = (code: Code) => Code;

/** One word for the shell, in single quotes. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function simple(text: string): Code {
  return { text, simple: true };
}

function script(text: string): Code {
  return { text, simple: false };
}

/** Ways to write the command word `rm`. */
const SPELLINGS = [
  "rm",
  "'rm'",
  '"rm"',
  "r'm'",
  'r"m"',
  "\\rm",
  "r\\m",
  "$'rm'",
  "$'\\x72m'",
  "$'\\162\\155'",
  "$'\\u0072m'",
  '$"rm"',
  "r''m",
  'r""m',
  "/bin/rm",
  "/usr/bin/rm",
  "/usr/bin/../bin/rm",
  "/bin//rm",
  "/bin/./rm",
  "/bin/r?",
  "/bin/r[m]",
  "/usr/bin/r?",
  "r\\\nm",
  "$(echo rm)",
  "`echo rm`",
  "r$(true)m",
  "r${EMPTY}m",
  "${EMPTY}rm",
  "r$@m",
  "${X:-rm}",
  "${X-rm}",
  "$(printf r)m",
] as const;

/** Other programs that destroy, all replaced by stubs; `§` stands for the target. */
const OTHERS = [
  "rmdir §",
  "unlink §",
  "shred -u §",
  "truncate -s 0 §",
  "kubectl delete pod §",
  "kubectl -n x delete -f §",
  "terraform destroy §",
  "terraform -chdir=x apply §",
  "tofu apply §",
  "docker rm §",
  "docker rmi §",
  "docker volume rm §",
  "helm uninstall §",
  "mkfs.ext4 §",
  "wipefs -a §",
  "userdel §",
  "shutdown §",
  "reboot §",
  "lvremove §",
  "dropdb §",
  "pkill §",
  "killall §",
] as const;

/** Whole commands that reach `rm` by the shell's own means. */
const TRICKS = [
  "a=rm; $a §",
  "a=r b=m; $a$b §",
  'a=rm; "$a" §',
  "a='rm §'; $a",
  "a='rm §'; eval $a",
  "a='rm §'; eval \"$a\"",
  'a=(rm §); "${a[@]}"',
  "a=(rm §); ${a[*]}",
  "n=c; c=rm; ${!n} §",
  "x=RM; ${x,,} §",
  "x=mr; ${x:1:1}${x:0:1} §",
  "x=xrm; ${x#x} §",
  "x=rmx; ${x%x} §",
  "x=rX; ${x/X/m} §",
  "rm$IFS§",
  "rm${IFS}§",
  "{rm,§}",
  "r{m,} §",
  "IFS=,; a=rm,§; $a",
  'set -- rm §; "$@"',
  "set -- rm §; $*",
  "read a <<< rm; $a §",
  "read -r a b <<< 'rm §'; $a $b",
  "printf -v a rm; $a §",
  "declare a=rm; $a §",
  "export a=rm; $a §",
  "declare -n r=c; c=ls; r=rm; $c §",
  "declare -l a; a=RM; $a §",
  "a=ls; f() { a=rm; }; f; $a §",
  "a=ls; for i in 1; do a=rm; done; $a §",
  "a=rm; if false; then a=ls; fi; $a §",
  "false && a=ls; $a rm §",
  "a=ls; unset a; $a rm §",
  "a=rm; a=ls true; $a §",
  "mapfile -t a <<< rm; ${a[0]} §",
  "for c in rm; do $c §; done",
  "while read -r c; do $c §; done <<< rm",
  "shopt -s expand_aliases\nalias zz=rm\nzz §",
  "hash -p /usr/bin/rm zz; zz §",
  'zz() { rm "$1"; }; zz §',
  'zz() { "$@"; }; zz rm §',
  "command_not_found_handle() { rm §; }; no-such-program",
  "a='x[$(rm §)]'; echo $((a))",
  "a='x[$(rm §)]'; ((a)); :",
  "[[ -v 'a[$(rm §)]' ]]; :",
  "test -v 'a[$(rm §)]'; :",
  "printf -v 'a[$(rm §)]' x",
  "read 'a[$(rm §)]' <<< x",
  "unset 'a[$(rm §)]'",
  "let 'a[$(rm §)]=1'; :",
  "declare 'a[$(rm §)]=1'",
  "a='$(rm §)'; echo ${a@P}",
  "PS4='$(rm §)'; set -x; :",
  "mapfile -C 'rm §;:' -c 1 a <<< x",
  "compgen -C 'rm §' x; :",
  "x=rm; x=$x; $x §",
  "a=r; a+=m; $a §",
  "case rm in r*) a=rm;; esac; $a §",
  "(exit 0) && { rm §; }",
  "eval 'r''m' §",
  "eval eval eval rm §",
  "eval \"$(printf '%s ' rm §)\"",
  "$(printf 'rm %s' §)",
  "$(cat <<< 'rm §')",
  "env -S 'rm §'",
  "env -S'rm §'",
  "env -i -S 'rm §'",
  "echo § | xargs rm",
  "echo rm § | xargs -I{} bash -c {}",
  "echo rm | xargs -I{} {} §",
  "printf '%s\\0' § | xargs -0 rm",
  "find . -maxdepth 1 -name § -exec rm {} \\;",
  "find . -maxdepth 1 -name § -exec rm {} +",
  "find . -maxdepth 1 -name § -execdir rm {} \\;",
  "find . -maxdepth 1 -name § -exec bash -c 'rm \"$1\"' _ {} \\;",
  "find . -maxdepth 1 -name § -delete",
  "bash -c 'eval \"$1\"' _ 'rm §'",
  "bash -c '\"$@\"' _ rm §",
  "bash -c '$0 §' rm",
  "trap 'rm §' EXIT",
  "trap 'rm §' DEBUG; :",
  "bash -c 'bash -c \"rm §\"'",
  "awk 'BEGIN{system(\"rm §\")}'",
  "awk 'BEGIN{\"rm §\" | getline}'",
  'awk \'BEGIN{print "rm §" | "sh"}\'',
  "sed '1e rm §' /etc/hostname",
  "echo rm § | sed 's/.*/&/e'",
  "perl -e 'system(\"rm §\")'",
  "perl -e '`rm §`'",
  "perl -e 'unlink \"§\"'",
  "perl -pi -e 's/keep/x/' §",
  "tar cf /dev/null /etc/hostname --checkpoint=1 --checkpoint-action=exec='rm §'",
  "tar cf /dev/null -I 'rm §; cat' /etc/hostname",
  "printf '!rm §\\nq\\n' | ed -s",
  "git -c alias.zz='!rm §' zz",
  "git -c core.pager='rm §' -p --version; git -c alias.zz='!rm §;:' zz",
  "make -f - <<< $'zz:\\n\\trm §'",
  "make -s --eval=$'zz:\\n\\trm §' zz",
  "script -qc 'rm §' /dev/null",
  "flock /tmp/lock -c 'rm §'",
  "watch -n 9 -g 'rm §' & sleep 0.4; kill %1",
  "split --filter='rm §' /etc/hostname",
  "GIT_PAGER='rm §' git -p --help; :",
  "BASH_ENV=<(echo rm §) bash -c :",
  "bash --rcfile <(echo rm §) -i -c : 2>/dev/null",
  "PATH=/stub:$PATH; ls-stub §; rm §",
  "coproc rm §; wait",
  "exec rm §",
  "time -p rm §",
  "\\time rm §; rm §",
  "builtin eval rm §",
  "command eval rm §",
  "command -p rm §",
  "echo $'#!/bin/sh\\nrm §' > zz.sh; sh zz.sh",
  "python3 -c 'import os; os.system(\"rm §\")'",
  "cat > zz2.sh <<< 'rm §'; . ./zz2.sh",
] as const;

/** Commands that lose the target's content by themselves; the target is a file with content. */
const LOSSES = [
  "> §",
  ": > §",
  "echo x >| §",
  "echo x &> §",
  "echo x >& §",
  "echo x 1> §",
  "exec 9> §",
  "exec {fd}> §",
  "cat /dev/null > §",
  "cp /dev/null §",
  "echo x | tee §",
  "tee § < /dev/null",
  "ln -sf /dev/null §",
  "mv § moved",
  "mv /etc/hostname §",
  "install /dev/null §",
  "dd if=/dev/null of=§ 2>/dev/null",
  "sed -i d §",
  "sed -n 'w §' /etc/hostname",
  "sort -o § /dev/null",
  "find /etc/hostname -fprint §",
  "gzip §",
  "xz §",
  "awk 'BEGIN{print > \"§\"}'",
  "perl -i -ne '' §",
  "perl -e 'open(F,\">§\")'",
  "{ echo x; } > §",
  "for i in 1; do echo $i; done > §",
  "f() { echo x; } > §; f",
  "x=§; echo > $x",
  'echo x > "$(echo §)"',
  "uniq /dev/null §",
  "git diff --no-index --output=§ /etc/hostname /etc/passwd",
  "tar cf x.tar --remove-files §",
  "vim -es -c '%d' -c wq §",
  'python3 -c \'open("§","w")\'',
  "bash -c '> §'",
  "echo '> §' | bash",
  "xxd /etc/hostname §",
] as const;

const asShell = (code: Code) => `bash -c ${quote(code.text)}`;
const words = (code: Code) => (code.simple ? code.text : asShell(code));
const prefix =
  (before: string): Wrap =>
  (code) =>
    simple(`${before} ${words(code)}`);
const around =
  (before: string, after: string): Wrap =>
  (code) =>
    script(before + code.text + after);
const nested =
  (before: string, after = ""): Wrap =>
  (code) =>
    simple(before + quote(code.text) + after);

/** Ways to run code, each around any code. */
const WRAPS: readonly Wrap[] = [
  ...[
    "env",
    "env A=1",
    "env -u A",
    "nohup",
    "nice",
    "nice -n 5",
    "timeout 4",
    "timeout -k 1 4",
    "stdbuf -oL",
    "setsid -w",
    "ionice -c 3",
    "taskset 1",
    "flock /tmp/lock",
    "command",
    "exec",
    "time",
    "env -i PATH=/usr/bin:/bin",
    "chroot /",
    "setarch -R",
    "unshare -U",
    "find /etc/hostname -exec",
    "xargs -a /etc/hostname",
  ].map((before) => (before.startsWith("find") ? (code: Code) => simple(`${before} ${words(code)} \\;`) : prefix(before))),
  (code) => script(`! ${words(code)}`),
  (code) => script(`A=1 B=2 ${words(code)}`),
  around("true; ", ""),
  around("false || ", ""),
  around("true && ", ""),
  around("", " | cat"),
  around("", " & wait"),
  around("{ ", "\n}"),
  around("( ", "\n)"),
  around("if true; then ", "\nfi"),
  around("if ", "\nthen :; fi"),
  around("while ", "\ndo break; done"),
  around("for i in 1; do ", "\ndone"),
  around("case x in x) ", "\n;; esac"),
  around("f() { ", "\n}; f"),
  around("function g { ", "\n}\ng"),
  around("coproc { ", "\n}; wait"),
  around("# note\n", ""),
  around(": <<'X'\nno\nX\n", ""),
  around("echo $( ", "\n)"),
  around('echo "$( ', '\n)"'),
  around(": ${x:-$( ", "\n)}"),
  around("cat <( ", "\n)"),
  around(": > >( ", "\n)"),
  around("cat <<X\n$( ", "\n)\nX"),
  around("a=$( ", "\n)"),
  around("[[ -n $( ", "\n) ]]; :"),
  around("echo $(( $( ", "\n) + 1 ))"),
  around('echo "${y/a/$( ', '\n)}"'),
  around("cat <<< $( ", "\n)"),
  around("for i in $( ", "\n); do :; done"),
  around("select i in a; do ", "\nbreak; done <<< 1"),
  nested("bash -c "),
  nested("sh -c "),
  nested("bash -lc "),
  nested("bash -o errexit -c "),
  nested("eval "),
  nested("trap ", " EXIT"),
  nested("echo ", " | bash"),
  nested("printf '%s' ", " | sh -s"),
  nested("bash <<< "),
  nested("bash <(echo ", ")"),
  nested("source <(echo ", ")"),
  nested("script -qc ", " /dev/null"),
  nested('eval "$(echo ', ')"'),
  nested("bash -c 'eval \"$1\"' _ "),
  (code) => script(`x=${quote(code.text)}; eval "$x"`),
  (code) => script(`x=${quote(code.text)}; bash -c "$x"`),
  nested("flock /tmp/lock -c "),
  nested("xargs -0 bash -c < <(printf '%s' ", ")"),
  (code) => script(`bash <<'EOF'\n${code.text}\nEOF`),
  (code) => script(`cat <<'EOF' | bash\n${code.text}\nEOF`),
  (code) => simple(`echo ${Buffer.from(code.text).toString("base64")} | base64 -d | bash`),
  (code) => simple(`perl -e ${quote(`exec("bash","-c",q~${code.text}~)`)}`),
];

/** Code that destroys `§`, in any of the ways above. */
export const payload: Arbitrary<Code> = oneof(
  { weight: 4, arbitrary: constantFrom(...SPELLINGS).map((word) => simple(`${word} -rf §`)) },
  { weight: 2, arbitrary: constantFrom(...OTHERS).map(simple) },
  { weight: 4, arbitrary: constantFrom(...TRICKS).map(script) },
  { weight: 2, arbitrary: constantFrom(...LOSSES).map(script) },
);

/** Up to three ways to run it, innermost first. */
export const wraps: Arbitrary<readonly Wrap[]> = array(constantFrom(...WRAPS), { maxLength: 3 });

/** Puts the target in its place, then the wrappers around the code. */
export function compose(code: Code, around: readonly Wrap[], target: string): string {
  const aimed = { ...code, text: code.text.replaceAll("§", target) };
  return around.reduce((inner, wrap) => wrap(inner), aimed).text;
}

/** Compositions whose target is `t<index>`. The same seed gives the same ones. */
export function compositions(seed: number, count: number): string[] {
  const parts = sample(tuple(payload, wraps), { seed, numRuns: count });
  return parts.map(([code, around], index) => compose(code, around, `t${index}`));
}

/** Every payload alone and every wrapper around a plain payload: no part of the generator goes untried. */
export function everyPart(): string[] {
  const plain = simple("rm -rf §");
  const payloads = [...SPELLINGS.map((word) => simple(`${word} -rf §`)), ...[...OTHERS, ...TRICKS, ...LOSSES].map(script)];
  const alone = payloads.map((code) => [code, []] as const);
  const around = WRAPS.map((wrap) => [plain, [wrap]] as const);
  return [...alone, ...around].map(([code, wrap], index) => compose(code, wrap, `t${index}`));
}
