import { readFileSync } from "node:fs";

function readJson(path: string): Record<string, unknown> {
  return JSON.parse(readFileSync(new URL(path, import.meta.url), "utf8")) as Record<string, unknown>;
}

/** Version of this package. */
export function regateVersion(): string {
  return String(readJson("../../package.json")["version"]);
}

/** Version of OPA that compiles, checks, tests and formats policies: the toolchain's. */
export function opaVersion(): string {
  return String(readJson("../../toolchain/manifest.json")["opa"]).replace(/^v/, "");
}
