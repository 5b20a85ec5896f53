import { createHash } from "node:crypto";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "./client.ts";

/** A copy of the `identity-gate` bundle with further rows of declared risk, by command key. */
export function bundleWith(rows: Readonly<Record<string, object>>): string {
  const folder = join(temporaryFolder("regate-bundle-"), "identity-gate");
  cpSync("wasm/identity-gate", folder, { recursive: true });
  const data = JSON.parse(readFileSync(join(folder, "data.json"), "utf8"));
  Object.assign(data.regate.risk, rows);
  const text = JSON.stringify(data);
  writeFileSync(join(folder, "data.json"), text);
  const manifest = JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8"));
  manifest.data.sha256 = createHash("sha256").update(text).digest("hex");
  writeFileSync(join(folder, "manifest.json"), JSON.stringify(manifest));
  return folder;
}
