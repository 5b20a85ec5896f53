import { readdirSync, readFileSync } from "node:fs";
import { extname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

/** A file of the web page. */
export interface PageFile {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly type: string;
  /** Whether its name changes with its content. */
  readonly immutable: boolean;
}

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

function folder(): string {
  const url = import.meta.url.endsWith(".ts")
    ? new URL("../../dist/admin/page/", import.meta.url)
    : new URL("../admin/page/", import.meta.url);
  return fileURLToPath(url);
}

/** Reads the built page into memory: paths are looked up, never joined. @throws Error of the file system when the page was not built */
export function readPage(): ReadonlyMap<string, PageFile> {
  const root = folder();
  const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return new Map(
    files.flatMap((entry) => {
      const path = join(entry.parentPath, entry.name);
      const type = TYPES[extname(path)];
      if (type === undefined) return [];
      const url = `/${relative(root, path)}`;
      const file = { body: new Uint8Array(readFileSync(path)), type, immutable: url.startsWith("/assets/") };
      return [[url === "/index.html" ? "/" : url, file] as const];
    }),
  );
}
