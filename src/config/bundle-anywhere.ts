import { join } from "node:path";
import { findBundle } from "./bundle.ts";
import { PACKAGED_BUNDLES, withFile } from "./options.ts";
import { SETTINGS } from "./settings.ts";
import { pick } from "./sources.ts";
import type { FlagValues, Surroundings } from "./sources.ts";

/**
 * What `--bundle` must say so that it means the same bundle from any folder: the name of a packaged bundle, or an absolute path.
 * @throws ConfigError `config.bundle` when there is no such bundle
 */
export async function bundleFromAnywhere(flags: FlagValues, around: Surroundings): Promise<string> {
  const { given, path } = findBundle(pick(SETTINGS.bundle, await withFile(flags, around)), PACKAGED_BUNDLES);
  return path === join(PACKAGED_BUNDLES, given) ? given : path;
}
