import type { BundleChoice } from "../config/bundle.ts";
import { ConfigError } from "../config/config-error.ts";
import type { Engine } from "../policy/engine.ts";
import type { LoadOptions } from "../policy/load.ts";

/**
 * Loads and admits the chosen bundle; one that does not verify is a refusal to start (design §2, engine).
 * @throws ConfigError `config.bundle` that names the bundle as the user gave it
 */
export async function loadBundle(bundle: BundleChoice, options: LoadOptions): Promise<Engine> {
  const [{ loadEngine }, { BundleError }] = await Promise.all([import("../policy/load.ts"), import("../policy/bundle-error.ts")]);
  try {
    return await loadEngine(bundle.path, options);
  } catch (error) {
    if (!(error instanceof BundleError)) throw error;
    throw new ConfigError("config.bundle", `bundle \`${bundle.given}\`: ${error.message}`, { cause: error });
  }
}
