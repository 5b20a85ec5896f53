import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Programs that a stub replaces: it writes its words to a log instead. */
const STUBBED = [
  "rm",
  "rmdir",
  "unlink",
  "shred",
  "truncate",
  "kubectl",
  "terraform",
  "tofu",
  "docker",
  "helm",
  "mkfs.ext4",
  "wipefs",
  "userdel",
  "shutdown",
  "reboot",
  "lvremove",
  "dropdb",
  "pkill",
  "killall",
];

const STUB = '#!/bin/sh\n{ printf "%s " "$0" "$@"; echo; } >> /mnt/log/ran\n';

/** Runs inside the sandbox: each command in its own bash, then a look at what was lost. Targets carry the command's index. */
const DRIVER = `
cd /mnt/work
count=0
while IFS= read -r -d '' command; do
  echo keep > "t$count"
  count=$((count + 1))
done < /mnt/in/commands
one='timeout -s KILL 5 bash --noprofile --norc -c "$1" < /dev/null; exit 0'
xargs -0 -n 1 -P 4 bash --noprofile --norc -c "$one" _ < /mnt/in/commands > /dev/null 2>&1
sleep 0.5
for ((index = 0; index < count; index++)); do
  [ -f "t$index" ] && [ ! -L "t$index" ] && [ "$(< "t$index")" = keep ] || echo "lost t$index" >> /mnt/log/ran
done
`;

/**
 * Really runs commands in bubblewrap, over stubs for the destroying programs, and tells which of them reached a stub or lost their target.
 * The command at index i has the target `t<i>`, a file with content.
 * @returns indexes of the commands that destroyed, with the first line of evidence
 */
export function runCommands(commands: readonly string[]): ReadonlyMap<number, string> {
  const folder = mkdtempSync(join(tmpdir(), "regate-oracle-"));
  try {
    for (const name of ["in", "log"]) mkdirSync(join(folder, name));
    writeFileSync(join(folder, "in/commands"), commands.map((command) => `${command}\0`).join(""));
    writeFileSync(join(folder, "in/stub"), STUB, { mode: 0o755 });
    writeFileSync(join(folder, "in/driver"), DRIVER);
    writeFileSync(join(folder, "log/ran"), "");
    const result = spawnSync("bwrap", sandbox(folder), { stdio: ["ignore", "ignore", "pipe"], timeout: 600_000 });
    if (result.status !== 0) throw new Error(`bwrap ended with ${result.status}: ${result.stderr.toString()}`);
    return evidence(readFileSync(join(folder, "log/ran"), "utf8"));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function evidence(log: string): Map<number, string> {
  const found = new Map<number, string>();
  for (const line of log.split("\n")) {
    for (const match of line.matchAll(/\bt(\d+)\b/g)) if (!found.has(Number(match[1]))) found.set(Number(match[1]), line);
  }
  return found;
}

function sandbox(folder: string): string[] {
  const stub = join(folder, "in/stub");
  const inPath = STUBBED.flatMap((name) => ["--ro-bind", stub, `/usr/local/stub/${name}`]);
  const installed = STUBBED.flatMap((name) => (existsSync(`/usr/bin/${name}`) ? ["--ro-bind", stub, `/usr/bin/${name}`] : []));
  const root = [
    "--ro-bind",
    "/",
    "/",
    "--dev",
    "/dev",
    "--proc",
    "/proc",
    "--tmpfs",
    "/tmp",
    "--tmpfs",
    "/root",
    "--tmpfs",
    "/usr/local",
    "--tmpfs",
    "/mnt",
  ];
  const own = ["--dir", "/mnt/work", "--ro-bind", join(folder, "in"), "/mnt/in", "--bind", join(folder, "log"), "/mnt/log"];
  const environment = [
    "--clearenv",
    "--setenv",
    "PATH",
    "/usr/local/stub:/usr/bin:/bin",
    "--setenv",
    "HOME",
    "/root",
    "--chdir",
    "/mnt/work",
  ];
  const walls = ["--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL"];
  return [...walls, ...root, ...inPath, ...installed, ...own, ...environment, "bash", "--noprofile", "--norc", "/mnt/in/driver"];
}
