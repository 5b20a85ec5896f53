import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { delimiter, dirname, isAbsolute, join } from "node:path";

/** A program of the operator. */
export interface FoundProgram {
  readonly path: string;
  /** Folders that it needs to be seen in: its own, and that of the file behind a link. */
  readonly folders: readonly string[];
}

/**
 * Finds a program in the server's search path. Relative entries, and those in the working directory, where an agent could put a program
 * of that name, are passed over.
 * @param searchPath value of PATH
 */
export function findProgram(name: string, searchPath: string | undefined, workdir: string): FoundProgram | undefined {
  for (const folder of (searchPath ?? "").split(delimiter).filter(isAbsolute)) {
    const found = programAt(join(folder, name), workdir);
    if (found !== undefined) return found;
  }
  return undefined;
}

function programAt(path: string, workdir: string): FoundProgram | undefined {
  try {
    const real = realpathSync(path);
    accessSync(real, constants.X_OK);
    const folders = [realpathSync(dirname(path)), dirname(real)];
    const isInside = folders.some((folder) => folder === workdir || folder.startsWith(`${workdir}/`));
    return statSync(real).isFile() && !isInside
      ? { path: join(folders[0] as string, path.slice(path.lastIndexOf("/") + 1)), folders }
      : undefined;
  } catch {
    return undefined;
  }
}
