// Builds the approvers' page into dist/admin/page/: a few files that the admin server reads into memory.
import { readFileSync, writeFileSync } from "node:fs";
import { build } from "vite";

/** What the page contains that is not ours. */
const CONTAINED = ["preact", "@preact/signals", "@preact/signals-core"];

await build({
  configFile: false,
  root: "src/admin/page",
  base: "/",
  logLevel: "warn",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: "../../../dist/admin/page",
    emptyOutDir: true,
    target: "es2022",
    // A data: URL or an inline script would need a weaker content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
});

const licences = CONTAINED.map((name) => `${name}\n\n${readFileSync(`node_modules/${name}/LICENSE`, "utf8").trim()}\n`);
writeFileSync("dist/admin/page/LICENSES.txt", licences.join("\n\n"));
