// NOTICE of the compressed module: every Go module that is linked into it, with its licence as published.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const LICENCE = /^(?:licen[cs]e|copying|copyright)(?:[.-].*)?$/iu;
const RULE = "=".repeat(100);

function texts(folder, pattern) {
  return readdirSync(folder)
    .filter((name) => pattern.test(name) && !name.endsWith(".go"))
    .sort()
    .map((name) => readFileSync(join(folder, name), "utf8").replaceAll("\r\n", "\n").trim());
}

function section({ name, version, folder }) {
  const licences = texts(folder, LICENCE);
  if (licences.length === 0) throw new Error(`no licence found for ${name} ${version}`);
  return [RULE, `${name} ${version}`, RULE, "", [...licences, ...texts(folder, /^notice(?:\..*)?$/iu)].join("\n\n"), ""].join("\n");
}

/** Text of NOTICE: a list first, then each licence; `go` runs the go command in a folder. */
export function renderNotice({ folder, go, goVersion, file }) {
  const listed = go(folder, "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}}\t{{.Version}}\t{{.Dir}}{{end}}{{end}}", ".");
  const modules = [...new Set(listed.split("\n").filter((line) => line !== ""))]
    .toSorted((a, b) => (a < b ? -1 : 1))
    .map((line) => line.split("\t"))
    .map(([name, version, dir]) => ({ name, version, folder: dir }));
  const all = [{ name: "Go standard library", version: goVersion, folder: go(folder, "env", "GOROOT").trim() }, ...modules];
  return [
    `The file ${file} contains code of the following Go modules, compiled to WebAssembly. Each is distributed under its own licence.`,
    "",
    ...all.map(({ name, version }) => `- ${name} ${version}`),
    "",
    ...all.map(section),
  ].join("\n");
}
