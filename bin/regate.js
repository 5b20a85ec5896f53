#!/usr/bin/env node
import { existsSync } from "node:fs";

const main = new URL("../dist/program/main.js", import.meta.url);
if (existsSync(main)) {
  await import(main.href);
} else {
  process.stderr.write("regate: not built: run `npm run build` in the checkout first\n");
  process.exitCode = 2;
}
