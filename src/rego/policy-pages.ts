import type { JsonObject, JsonValue } from "./json.ts";

/** One annotation as `inspect` lists it, reduced to what a page needs. */
interface Annotated {
  /** Such as `gate`, `rules`, `ai_agent`, `deny`. */
  readonly path: readonly string[];
  readonly row: number;
  readonly file: string;
  readonly title: string;
  readonly description: string;
  readonly custom: Readonly<Record<string, string>>;
}

const RULES = ["gate", "rules"];

/**
 * Reference pages of the rules below `gate.rules`, made from their annotations: the documentation of a reason is the annotation that
 * the reason itself is made from.
 * @param annotations as the toolchain's `inspect` gives them
 * @param bundles names of the bundles, each with its rules
 * @returns file name such as `ai_agent.md` → Markdown
 */
export function policyPages(
  annotations: readonly JsonObject[],
  bundles: ReadonlyMap<string, readonly string[]>,
): ReadonlyMap<string, string> {
  const all = annotations.map(annotatedOf).filter(({ path }) => RULES.every((name, index) => path[index] === name));
  const packages = all.filter(({ path }) => path.length === 3).sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  return new Map(
    packages.map((rule) => {
      const members = all.filter(({ path }) => path.length === 4 && path[2] === nameOf(rule)).sort((a, b) => a.row - b.row);
      const within = [...bundles].filter(([, rules]) => rules.includes(nameOf(rule))).map(([name]) => `\`${name}\``);
      return [`${nameOf(rule)}.md`, page(rule, members, within)];
    }),
  );
}

function page(rule: Annotated, members: readonly Annotated[], bundles: readonly string[]): string {
  const reasons = members.filter(({ custom }) => custom["code"] !== undefined);
  const others = members.filter(({ custom }) => custom["code"] === undefined);
  return [
    `# ${rule.title}`,
    "",
    `<!-- Made from the annotations of ${rule.file} by scripts/generate-policy-docs.mjs; change those. -->`,
    "",
    paragraph(rule.description),
    "",
    `Package \`${rule.path.join(".")}\`, source [${rule.file}](../../${rule.file}), ${bundles.length === 0 ? "in no shipped bundle: it needs data of your own" : `in the bundles ${bundles.join(", ")}`}.`,
    ...seedLine(rule),
    "",
    "## Reasons",
    ...reasons.flatMap(reasonSection),
    "",
    "## What it says",
    "",
    ...others.map((member) => `- \`${nameOf(member)}\` (${member.title.toLowerCase()}): ${paragraph(member.description)}`),
    "",
  ].join("\n");
}

function reasonSection(reason: Annotated): readonly string[] {
  const { code, message, remedy } = reason.custom;
  return [
    "",
    `### \`${code}\``,
    "",
    `${reason.title}. ${paragraph(reason.description)}`,
    "",
    `> ${message}`,
    ...(remedy === undefined ? [] : ["", `Remedy: \`${remedy}\`.`]),
    ...seedLine(reason),
  ];
}

function seedLine({ custom }: Annotated): readonly string[] {
  return custom["seed"] === undefined ? [] : ["", `Seed: \`${custom["seed"]}\`.`];
}

function nameOf({ path }: Annotated): string {
  return path.at(-1) ?? "";
}

/** One line of Markdown: source lines joined. */
function paragraph(text: string): string {
  return text.trim().replaceAll(/\s*\n\s*/gu, " ");
}

function annotatedOf(item: JsonObject): Annotated {
  const annotations = (item["annotations"] ?? {}) as Record<string, JsonValue>;
  const location = (item["location"] ?? {}) as { readonly file?: string; readonly row?: number };
  const path = (item["path"] ?? []) as unknown as readonly { readonly value: string }[];
  return {
    path: path.slice(1).map(({ value }) => value),
    row: location.row ?? 0,
    file: location.file ?? "",
    title: textOf(annotations["title"]),
    description: textOf(annotations["description"]),
    custom: (annotations["custom"] ?? {}) as Record<string, string>,
  };
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}
