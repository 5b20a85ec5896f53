#!/usr/bin/env node
// Builds the OPA toolchain (docs/toolchain.md); needs dist/.
//   node toolchain/build.mjs           writes opa.wasm.br, manifest.json and NOTICE beside this file
//   node toolchain/build.mjs --check   builds into a temporary folder and compares digests with what is committed
import { fileURLToPath } from "node:url";
import { buildGoModule } from "../scripts/go-module.mjs";

buildGoModule({
  name: "toolchain",
  folder: fileURLToPath(new URL(".", import.meta.url)),
  file: "opa.wasm.br",
  maximumPages: 8192,
  pinned: ["opa", "github.com/open-policy-agent/opa"],
});
