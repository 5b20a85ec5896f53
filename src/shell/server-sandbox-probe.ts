import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sandboxArguments } from "./server-sandbox.ts";

const TIMEOUT_MS = 5_000;

/** Each line is one promise; the word that it prints names what was broken. `$1`: what is planted, `$2`: this process. */
const SCRIPT = `[ -e "$1/folder/secret" ] && echo folder-visible
{ true > "$1/folder/made"; } 2>/dev/null && echo folder-writable
{ true < "$1/file"; } 2>/dev/null && echo file-readable
mv "$1/folder" "$1/moved" 2>/dev/null && echo folder-movable
[ -e "/proc/$2/root/." ] && echo root-of-other-processes
{ true < "/proc/$2/environ"; } 2>/dev/null && echo environment-of-other-processes
echo x 2>/dev/null > "$1/written" && echo done`;

/**
 * Tries the sandbox of servers on a planted folder and file: both must be out of reach, this process too, and all else as it is.
 * @returns why it cannot be used, as prose; undefined when every promise was kept
 */
export async function probeServerSandbox(bwrap: string): Promise<string | undefined> {
  let planted: string | undefined;
  try {
    planted = mkdtempSync(join(realpathSync(tmpdir()), "regate-probe-"));
    mkdirSync(join(planted, "folder"));
    for (const name of ["folder/secret", "file"]) writeFileSync(join(planted, name), "planted\n");
    const mounts = sandboxArguments([join(planted, "folder"), join(planted, "file")]);
    const { stdout, stderr } = await run(bwrap, [...mounts, "--", "/bin/sh", "-c", SCRIPT, "sh", planted, String(process.pid)]);
    const words = stdout.trim().split("\n").filter(Boolean);
    if (words.length === 1 && words[0] === "done") return undefined;
    const broken = words.filter((word) => word !== "done").join(", ");
    return broken === "" ? reason(stderr) : `bubblewrap does not keep its promises here (${broken})`;
  } catch (error) {
    return reason(error instanceof Error ? error.message : String(error));
  } finally {
    if (planted !== undefined) rmSync(planted, { recursive: true, force: true });
  }
}

function run(file: string, args: readonly string[]): Promise<{ readonly stdout: string; readonly stderr: string }> {
  return new Promise((resolve) => {
    execFile(file, [...args], { env: { PATH: "/usr/bin:/bin" }, timeout: TIMEOUT_MS, killSignal: "SIGKILL" }, (error, stdout, stderr) =>
      resolve({ stdout, stderr: stderr === "" ? (error?.message ?? "") : stderr }),
    );
  });
}

function reason(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim().slice(0, 300);
  return line === "" ? "bubblewrap did nothing" : line;
}
