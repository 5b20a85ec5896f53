// Builds the policy of this example into a folder that `regate serve --bundle` takes: the shipped policy tree with one rule more.
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const HERE = fileURLToPath(new URL(".", import.meta.url));
const ROOT = join(HERE, "../..");

/** @param {string} folder an empty folder @returns {string} path of the built bundle */
export function buildBundle(folder) {
  cpSync(join(ROOT, "policy"), join(folder, "policy"), { recursive: true });
  cpSync(join(HERE, "second_person"), join(folder, "policy/gate/rules/second_person"), { recursive: true });
  mkdirSync(join(folder, "bundles"), { recursive: true });
  cpSync(join(ROOT, "bundles/default"), join(folder, "bundles/approval"), { recursive: true });
  cpSync(join(HERE, "bundle.json"), join(folder, "bundles/approval/bundle.json"));
  execFileSync(process.execPath, [join(ROOT, "bin/regate.js"), "policy", "build", "approval"], {
    cwd: folder,
    stdio: ["ignore", "ignore", "inherit"],
  });
  return join(folder, "wasm/approval");
}
