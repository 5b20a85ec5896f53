import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { ConfigError } from "./config-error.ts";
import { pathOf, type Picked } from "./sources.ts";

/** Which bundle to load: `given` is what the user wrote, `path` a folder or a bundle file that exists. */
export interface BundleChoice {
  readonly given: string;
  readonly path: string;
  /** Whether it is one that this package ships. */
  readonly packaged: boolean;
}

/** Bundle that is used when no option names one (design §1, bundles). */
const DEFAULT_BUNDLE = "default";

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function packagedNames(folder: string): string[] {
  return isDirectory(folder) ? readdirSync(folder).filter((name) => isDirectory(join(folder, name))) : [];
}

/** What stands at a path, without opening it; a pipe or device is never opened. */
function kindOf(path: string): "missing" | "bundle" | "other" {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return "missing";
    return stats.isDirectory() || stats.isFile() ? "bundle" : "other";
  } catch {
    return "missing";
  }
}

/**
 * Finds the bundle that an option names: a word without a slash that is a packaged bundle means that one, everything else is
 * a path (design §3). What is in it is judged when it is loaded.
 * @param picked the option's value; undefined means `default`
 * @param packaged folder of the packaged bundles
 * @throws ConfigError `config.bundle` that names the bundle as given
 */
export function findBundle(picked: Picked | undefined, packaged: string): BundleChoice {
  const given = picked?.value ?? DEFAULT_BUNDLE;
  const names = packagedNames(packaged);
  if (names.includes(given)) return { given, path: join(packaged, given), packaged: true };
  const path = picked === undefined ? join(packaged, given) : pathOf(picked);
  const kind = kindOf(path);
  if (kind === "bundle") return { given, path, packaged: false };
  const problem = kind === "missing" ? "does not exist" : "is neither a folder nor a regular file";
  const offer = names.map((name) => `\`${name}\``).join(", ");
  throw new ConfigError(
    "config.bundle",
    `bundle \`${given}\` ${problem}: give a packaged bundle (${offer}), a folder with policy.wasm, data.json and manifest.json, or an OPA bundle .tar.gz`,
  );
}
