// Gives the suite the one function of a newer Node that it imports: `fs.globSync`, which none of the scenarios calls.
import { register } from "node:module";

const hooks = `
import * as fs from "node:fs";
const names = Object.keys(fs).filter((name) => name !== "default" && name !== "globSync");
const source = 'import * as fs from "node:fs"; export default fs.default; export const globSync = () => [];'
  + names.map((name) => "export const " + name + " = fs." + name + ";").join("");
export async function resolve(specifier, context, next) {
  const isSuite = context.parentURL?.includes("/conformance/dist/") === true;
  if (isSuite && (specifier === "fs" || specifier === "node:fs")) return { url: "regate-shim:fs", shortCircuit: true };
  return next(specifier, context);
}
export async function load(url, context, next) {
  if (url === "regate-shim:fs") return { format: "module", source, shortCircuit: true };
  return next(url, context);
}
`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);
