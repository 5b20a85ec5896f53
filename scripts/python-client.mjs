// Puts the MCP SDK for Python, which some tests drive the gateway with, into .tools/python/<digest of its list>, and prints that folder.
// `--install` fetches it from the package index if it is missing; without it a missing one is exit 1.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";

const LIST = "test/e2e/python/requirements.txt";

/** The folder is named by what should be in it: another list is another folder. */
export const FOLDER = `.tools/python/${createHash("sha256").update(readFileSync(LIST)).digest("hex").slice(0, 16)}`;

const works = (folder) =>
  existsSync(`${folder}/mcp`) &&
  spawnSync("python3", ["-c", "import mcp"], { stdio: "ignore", env: { ...process.env, PYTHONPATH: folder } }).status === 0;

/** pip installs into a folder beside it, which becomes the real one when it is whole. */
function install() {
  const half = `${FOLDER}.${process.pid}`;
  mkdirSync(".tools/python", { recursive: true });
  const words = [
    "-m",
    "pip",
    "install",
    "--quiet",
    "--disable-pip-version-check",
    "--retries",
    "1",
    "--only-binary",
    ":all:",
    "--target",
    half,
    "-r",
    LIST,
  ];
  const { status, stderr } = spawnSync("python3", words, { stdio: ["ignore", "ignore", "pipe"], encoding: "utf8", timeout: 300_000 });
  if (status === 0 && works(half)) {
    rmSync(FOLDER, { recursive: true, force: true });
    renameSync(half, FOLDER);
    return "";
  }
  rmSync(half, { recursive: true, force: true });
  return (stderr ?? "").trim().split("\n").at(-1) ?? "";
}

const why = works(FOLDER) || !process.argv.includes("--install") ? "" : install();
if (works(FOLDER)) process.stdout.write(FOLDER);
else {
  process.stderr.write(
    `the MCP SDK for Python is missing: python3 (3.10 or newer) with pip, and \`node scripts/python-client.mjs --install\`${why && `: ${why}`}\n`,
  );
  process.exitCode = 1;
}
