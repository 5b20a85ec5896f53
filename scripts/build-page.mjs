// Builds the approvers' page into dist/admin/page/: a few files that the admin server reads into memory.
import { build } from "vite";

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
