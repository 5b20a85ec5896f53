// The tax desk itself: files in a folder, and nothing about gates or protocols.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const TAXPAYERS = fileURLToPath(new URL("taxpayers", import.meta.url));

const readJson = (file) => JSON.parse(readFileSync(file, "utf8"));
const writeJson = (file, value) => writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);

/** Opens the desk in a folder; a new one begins with the two taxpayers, and Erik's files on the table. */
export function openDesk(folder) {
  const active = join(folder, "active.json");
  if (!existsSync(active)) {
    cpSync(TAXPAYERS, join(folder, "taxpayers"), { recursive: true });
    for (const name of ["drafts", "filings"]) mkdirSync(join(folder, name), { recursive: true });
    writeJson(active, { label: "Erik" });
  }
  const taxpayers = () => readdirSync(join(folder, "taxpayers")).map((name) => readJson(join(folder, "taxpayers", name)));
  const current = () => {
    const { label } = readJson(active);
    return taxpayers().find((taxpayer) => taxpayer.label === label);
  };
  const paper = (kind, year) => join(folder, kind, `${current().label}-${year}.json`);
  const returnOf = (year) => {
    const found = current().returns[String(year)];
    if (found === undefined) throw new Error("no figures for this year");
    return found;
  };

  return {
    activeLabel: () => current()?.label ?? null,
    switchTo(label) {
      if (!taxpayers().some((taxpayer) => taxpayer.label === label)) throw new Error("no taxpayer has this label");
      writeJson(active, { label });
    },
    read: (year) => ({ year, ...returnOf(year) }),
    prepare(year) {
      const { income, withheld } = returnOf(year);
      const draft = { taxpayer: current().label, year, income, due: Math.round(income * 0.3) - withheld };
      writeJson(paper("drafts", year), draft);
      return draft;
    },
    file(year) {
      if (!existsSync(paper("drafts", year))) throw new Error("nothing is prepared for this year");
      if (existsSync(paper("filings", year))) throw new Error("this year is filed already");
      const filing = readJson(paper("drafts", year));
      writeJson(paper("filings", year), filing);
      return filing;
    },
  };
}
