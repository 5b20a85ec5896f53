// Cuts policy/capabilities.json from OPA's own capabilities: `opa capabilities --current | node scripts/generate-capabilities.mjs`,
// or with the JSON's file as argument. Run after `npm run build`.
import { readFileSync, writeFileSync } from "node:fs";
import { cutCapabilities } from "../dist/policy/capabilities.js";

const current = JSON.parse(readFileSync(process.argv[2] ?? 0, "utf8"));
writeFileSync("policy/capabilities.json", `${JSON.stringify(cutCapabilities(current), null, 2)}\n`);
