import { isAbsolute, join } from "node:path";
import type { Setting } from "./setting.ts";
import { pathOf, pick } from "./sources.ts";
import { checkFolder } from "./state-dir.ts";
import type { Sources } from "./sources.ts";

/** The settings of what humans decide (design §8). */
export const GOVERN_SETTINGS = {
  keysDir: {
    name: "keys-dir",
    kind: "text",
    env: ["REGATE_KEYS_DIR"],
    placeholder: "DIR",
    describe: "where the private keys of this user are kept (default: $XDG_CONFIG_HOME/regate/keys, else ~/.config/regate/keys)",
  },
} as const satisfies Record<string, Setting>;

/**
 * Folder of this user's private keys: as set, else `$XDG_CONFIG_HOME/regate/keys`, else `~/.config/regate/keys`. A relative or empty
 * XDG_CONFIG_HOME is ignored, as the XDG Base Directory Specification demands.
 * @throws ConfigError `config.option`
 */
export function keysDirOf(sources: Sources): string {
  const picked = pick(GOVERN_SETTINGS.keysDir, sources);
  if (picked !== undefined) {
    const path = pathOf(picked);
    checkFolder(path, { what: "keys directory", given: picked.value });
    return path;
  }
  const xdg = sources.env["XDG_CONFIG_HOME"];
  return join(xdg !== undefined && isAbsolute(xdg) ? xdg : join(sources.home, ".config"), "regate", "keys");
}
