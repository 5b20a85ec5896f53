// Writes policy/schemas/input.json from the zod schema of the policy input. Run after `npm run build`.
import { mkdirSync, writeFileSync } from "node:fs";
import { policyInputJsonSchema } from "../dist/policy/input-schema.js";

mkdirSync("policy/schemas", { recursive: true });
writeFileSync("policy/schemas/input.json", `${JSON.stringify(policyInputJsonSchema(), null, 2)}\n`);
