import { readdir, readFile, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { GatherError } from "./gather.ts";

/**
 * Reads `--schema`: a file is the schema of the input, in a folder `input.json` is `schema.input` and `a/b.json` is `schema.a.b`.
 * @returns path below the folder (`""` for a file) → text
 * @throws {GatherError} when the path cannot be read
 */
export async function readSchemas(cwd: string, path: string): Promise<ReadonlyMap<string, string>> {
  const root = resolve(cwd, path);
  try {
    if (!(await stat(root)).isDirectory()) return new Map([["", await readFile(root, "utf8")]]);
    const names = (await readdir(root, { recursive: true })).sort();
    const found = new Map<string, string>();
    for (const name of names) {
      const file = join(root, name);
      if ((await stat(file)).isFile()) found.set(name.replaceAll("\\", "/"), await readFile(file, "utf8"));
    }
    return found;
  } catch (error) {
    throw new GatherError([{ code: "load_error", message: `${path}: cannot read the schemas: ${(error as Error).message}` }]);
  }
}
