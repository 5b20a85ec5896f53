import { join } from "node:path";
import type { HomeGrant } from "../call/profile-words.ts";
import { isWithin, realPathOf } from "./sandbox-paths.ts";
import { shellError } from "./shell-error.ts";

/** Where the sandbox of a command lies, as far as what is granted of the home directory must not touch it. */
export interface HomeSurroundings {
  readonly home?: string | undefined;
  /** Real path of the working directory. */
  readonly workdir: string;
  /** What no command sees. */
  readonly unseen: readonly string[];
  /** What must stay what it is, beside that: the bundle, and what all commands are shown. */
  readonly fixed: readonly string[];
}

/** What of the home directory one command sees: real paths, each to be mounted where it is. */
export interface HomePlaces {
  /** Read-only. */
  readonly shown: readonly string[];
  /** Writable. */
  readonly lent: readonly string[];
}

/**
 * What a profile grants of the home directory, where it is now. What does not exist is left out, and so is what is hidden from all commands. A grant that is reached through a symbolic
 * link, which a command could point elsewhere, that meets the working directory, or that would make the gate's own files movable, makes
 * this fail.
 * @param writable false when policy lets the command write nothing
 * @throws Error `shell.sandbox_failed`
 */
export function homePlaces(grants: readonly HomeGrant[], around: HomeSurroundings, writable: boolean): HomePlaces {
  const home = around.home === undefined ? undefined : realPathOf(around.home);
  if (home === undefined) return { shown: [], lent: [] };
  const places = grants.flatMap((grant) => {
    const path = placeOf(home, grant, around);
    return path === undefined ? [] : [{ path, write: grant.write && writable }];
  });
  const of = (write: boolean): readonly string[] => places.filter((place) => place.write === write).map(({ path }) => path);
  return { shown: of(false), lent: of(true) };
}

function placeOf(home: string, { path, write }: HomeGrant, { workdir, unseen, fixed }: HomeSurroundings): string | undefined {
  const place = join(home, path);
  const real = realPathOf(place);
  if (real === undefined) return undefined;
  if (real !== place) throw unusable(path, "goes through a symbolic link");
  if (isWithin(place, workdir)) throw unusable(path, "lies in the working directory");
  if (write && isWithin(workdir, place)) throw unusable(path, "holds the working directory");
  const [covers, keeps] = [unseen, fixed].map((files) => files.map((file) => realPathOf(file) ?? file)) as [string[], string[]];
  if (covers.some((cover) => isWithin(place, cover))) return undefined;
  if (write && [...covers, ...keeps].some((file) => isWithin(file, place))) throw unusable(path, "holds what commands must not change");
  return place;
}

function unusable(path: string, problem: string): Error {
  return shellError("shell.sandbox_failed", `the path \`${path}\`, which the profile grants of the home directory, ${problem}`);
}
