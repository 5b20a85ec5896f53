#!/usr/bin/env node
// Builds the Starlark engine (docs/starlark.md); needs dist/.
//   node starlark/build.mjs           writes starlark.wasm.br, manifest.json and NOTICE beside this file
//   node starlark/build.mjs --check   builds into a temporary folder and compares digests with what is committed
import { fileURLToPath } from "node:url";
import { buildGoModule } from "../scripts/go-module.mjs";

buildGoModule({
  name: "starlark",
  folder: fileURLToPath(new URL(".", import.meta.url)),
  file: "starlark.wasm.br",
  maximumPages: 2048,
  pinned: ["starlark", "go.starlark.net"],
});
