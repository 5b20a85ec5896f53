// System parts that some tests need: installed where that is allowed (root on Debian, with --install or under CI), else named.
import { spawnSync } from "node:child_process";

/** Program, Debian package, and what it is for. */
const PARTS = [
  ["bwrap", "bubblewrap", "tests that execute commands inside the sandbox"],
  ["redis-server", "redis-server", "tests of delegated execution"],
  ["systemd-analyze", "systemd", "the check of the units in deploy/"],
  ["chromium", "chromium", "tests that open the approvers' page in a browser"],
  ["python3", "python3", "the independent checker of the decision log"],
  ["pip3", "python3-pip", "tests that drive the gateway with the MCP SDK for Python"],
];

const has = (program) => spawnSync("sh", ["-c", `command -v ${program}`], { stdio: "ignore" }).status === 0;
const missing = PARTS.filter(([program]) => !has(program));
const mayInstall = process.getuid?.() === 0 && has("apt-get");

if (missing.length > 0 && mayInstall) {
  const packages = missing.map(([, name]) => name);
  spawnSync("apt-get", ["update", "-qq"], { stdio: ["ignore", "ignore", "inherit"] });
  spawnSync("apt-get", ["install", "-y", "-qq", "--no-install-recommends", ...packages], {
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
  });
}
const absent = missing.filter(([program]) => !has(program));
for (const [program, name, purpose] of absent) {
  process.stderr.write(`skipping ${purpose}: \`${program}\` is missing (Debian: apt-get install ${name})\n`);
}
if (absent.length > 0 && process.env.CI === "true") process.exitCode = 1;

// Packages for Python go into a folder of their own in .tools/, so that nobody's Python is changed.
const words = process.argv.includes("--install") || process.env.CI === "true" ? ["--install"] : [];
const client = spawnSync(process.execPath, ["scripts/python-client.mjs", ...words], { stdio: ["ignore", "ignore", "inherit"] });
if (client.status !== 0 && process.env.CI === "true") process.exitCode = 1;
