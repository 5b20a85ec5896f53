import { execFileSync, spawnSync } from "node:child_process";

/** A part of the system that some tests need. */
export interface SystemPart {
  /** Program that must answer to `--version`. */
  readonly program: string;
  /** Debian package that brings it. */
  readonly package: string;
}

function isThere(part: SystemPart): boolean {
  return spawnSync(part.program, ["--version"], { stdio: "ignore" }).status === 0;
}

/**
 * Tells whether a part is there; as root on Debian it is installed first. Where it is missing one line on stderr names it and how to get
 * it, and the tests may be skipped, except with `CI=true`, where that is a failure.
 * @throws Error when the part is missing and `CI` is `true`
 */
export function haveSystemPart(part: SystemPart): boolean {
  if (!isThere(part)) install(part);
  if (isThere(part)) return true;
  const line = `${part.program} is missing: apt-get install ${part.package}`;
  if (process.env["CI"] === "true") throw new Error(line);
  process.stderr.write(`skipped: ${line}\n`);
  return false;
}

function install(part: SystemPart): void {
  if (process.getuid?.() !== 0 || spawnSync("apt-get", ["--version"], { stdio: "ignore" }).status !== 0) return;
  try {
    execFileSync("apt-get", ["install", "-y", "--no-install-recommends", part.package], { stdio: "ignore", timeout: 120_000 });
  } catch {
    // No network or no rights: the caller says what is missing.
  }
}

/**
 * The folder in `.tools/` with the MCP SDK for Python; it is installed first where it is missing.
 * @returns a path for PYTHONPATH, or undefined when there is none: one line on stderr says so
 * @throws Error when it is missing and `CI` is `true`
 */
export function pythonClient(): string | undefined {
  const { status, stdout, stderr } = spawnSync(process.execPath, ["scripts/python-client.mjs", "--install"], { encoding: "utf8" });
  if (status === 0) return stdout;
  if (process.env["CI"] === "true") throw new Error(stderr);
  process.stderr.write(`skipped: ${stderr}`);
  return undefined;
}
