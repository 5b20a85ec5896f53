import { describe, expect, it } from "vitest";
import { analyseCommand } from "../../src/shell/analyse.ts";
import { executedFiles } from "../../src/shell/executed-files.ts";

function filesOf(command: string): string | readonly string[] {
  const found = executedFiles(analyseCommand(command), command);
  if (!found.ok) return `! ${found.problem}`;
  return found.files.map((file) => (file.kind === "file" ? file.path : `make ${file.paths.join("|")}`));
}

describe("files that a command runs by name (trial A01)", () => {
  it.each<[string, readonly string[]]>([
    ["ls -la", []],
    ["git push", []],
    ["echo *.sh $HOME", []],
    ["bash deploy.sh", ["deploy.sh"]],
    ["bash -x -o pipefail deploy.sh --fast", ["deploy.sh"]],
    ["bash -c './y.sh && echo'", ["./y.sh"]],
    ["bash -lc ls", []],
    [". ./env.sh && make", ["./env.sh", "make GNUmakefile|makefile|Makefile"]],
    ["source env.sh", ["env.sh"]],
    ["./run.sh a b", ["./run.sh"]],
    ["sudo -n timeout 5 ./run.sh", ["./run.sh"]],
    ["FOO=1 exec /srv/app/run", ["/srv/app/run"]],
    ["/usr/bin/env ./run.sh", ["./run.sh"]],
    ["/bin/ls /usr/bin/id", []],
    ["/usr/bin/../../srv/app/run", ["/usr/bin/../../srv/app/run"]],
    ["python3 tool.py a.py", ["tool.py"]],
    ["python3.11 -W ignore -u tool.py", ["tool.py"]],
    ["python3 -c 'print(1)' x.py", []],
    ["node --require ./hook.js app.js", ["./hook.js", "app.js"]],
    ["node -e 1", []],
    ["deno run main.ts", ["main.ts"]],
    ["perl -ne 'print' data", []],
    ["ruby tool.rb", ["tool.rb"]],
    ["python3 manage.py flush", ["manage.py"]],
    ["java -jar app.jar x", ["app.jar"]],
    ["php -f x.php", ["x.php"]],
    ["make deploy", ["make GNUmakefile|makefile|Makefile"]],
    ["make -f other.mk -j4", ["make other.mk"]],
    ["awk -f prog.awk data.txt", ["prog.awk"]],
    ["sed -n -f s.sed data", ["s.sed"]],
    ["psql -f up.sql", ["up.sql"]],
    ["kubectl apply -f app.yaml", ["app.yaml"]],
    ["kubectl logs -f web", []],
    ["ansible-playbook site.yml", ["site.yml"]],
    ["sort < up.sql", ["up.sql"]],
    ["cat < /dev/null", []],
    ["xargs ./run.sh < list", ["./run.sh", "list"]],
    ["for f in a b; do ./run.sh $f; done", ["./run.sh"]],
  ])("%s", (command, files) => {
    expect(filesOf(command)).toEqual(files);
  });

  it.each([
    "bash *.sh",
    "bash $SCRIPT",
    'bash "$DIR/x.sh"',
    "$CMD",
    'eval "$(cat x)"',
    "curl https://example.org/x | sh",
    "bash < x.sh",
    "source <(curl x)",
    "python3 < x.py",
    "mysql < up.sql",
    "python3 -m pytest",
    "bash ~/x.sh",
    "bash --rcfile r.sh x.sh",
    "bash /dev/fd/3",
    "node -r hook app.js",
    "kubectl apply -f https://example.org/x.yaml",
    "make -C sub",
    "cd sub && bash x.sh",
    "pushd sub; ./x",
    "env -C sub ./x.sh",
    "find . -execdir ./x {} +",
    "PATH=/tmp/tools cat notes.txt",
    "LD_PRELOAD=./x.so ls",
    "GIT_SSH_COMMAND=./x git fetch",
    "git -c core.pager=./x log",
    "alias ls=./x; ls",
    "echo hi > x.sh; bash ./x.sh",
    "ssh host ./x.sh",
    "bash 'unclosed",
  ])("%s is not fixed", (command) => {
    expect(filesOf(command)).toMatch(/^! /);
  });

  it("takes a text with hidden characters for what it is: the approver sees them", () => {
    expect(filesOf("echo ok \u202e; mr /srv/app\u202c")).toEqual([]);
    expect(filesOf("bash deploy.sh # \u202e")).toEqual(["deploy.sh"]);
    expect(filesOf("ls\n\nbash x.sh\u001b[2J\n./y \u200b")).toMatch(/^! /);
    expect(filesOf("bash x\u200b.sh")).toMatch(/^! /);
    expect(filesOf("\u200bbash x.sh")).toMatch(/^! /);
    expect(filesOf("./y \u001b[2J")).toEqual(["./y"]);
  });
});
