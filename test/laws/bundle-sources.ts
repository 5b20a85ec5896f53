import { readdirSync, readFileSync } from "node:fs";

/** The Rego of a bundle by path, without tests, as `policy build` takes it. */
export function regoOf(bundle: string): ReadonlyMap<string, string> {
  const { rules } = JSON.parse(readFileSync(`bundles/${bundle}/bundle.json`, "utf8")) as { rules: readonly string[] };
  const folders = ["policy/lib", ...rules.map((rule) => `policy/gate/rules/${rule}`)];
  const inFolders = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => /(?<!_test)\.rego$/u.test(name))
      .map((name) => `${folder}/${name}`),
  );
  return new Map(["policy/gate/main.rego", ...inFolders].map((path) => [path, readFileSync(path, "utf8")]));
}
