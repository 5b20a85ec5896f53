// Joins the program and what it imports into the few files of dist/program/: a start that reads six hundred small ones takes half as long again.
import { build } from "rolldown";

await build({
  input: "dist/main.js",
  platform: "node",
  logLevel: "warn",
  output: { dir: "dist/program", format: "esm", cleanDir: true },
});
