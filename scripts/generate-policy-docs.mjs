// Writes docs/policy-input.md from the schema of the input, and docs/policies/<rule>.md from the annotations of the rules. Run after
// `npm run build`.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { policyInputPage } from "../dist/policy/input-page.js";
import { policyPages } from "../dist/rego/policy-pages.js";
import { openToolchain } from "../dist/rego/toolchain.js";

const folder = "policy/gate/rules";
const paths = readdirSync(folder, { recursive: true, encoding: "utf8" })
  .filter((name) => /(?<!_test)\.rego$/u.test(name))
  .map((name) => `${folder}/${name}`);
const bundles = new Map(
  readdirSync("bundles")
    .sort()
    .map((name) => [name, JSON.parse(readFileSync(`bundles/${name}/bundle.json`, "utf8")).rules]),
);
const toolchain = openToolchain();
const annotations = await toolchain.inspect({ files: new Map(paths.map((path) => [path, readFileSync(path, "utf8")])) });
await toolchain.close();
if (!annotations.ok) throw new Error(annotations.text);
mkdirSync("docs/policies", { recursive: true });
for (const [name, text] of policyPages(annotations.value, bundles)) writeFileSync(`docs/policies/${name}`, text);
writeFileSync("docs/policy-input.md", policyInputPage());
