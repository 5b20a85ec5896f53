import type { JsonObject } from "../call/json.ts";
import { policyInputJsonSchema } from "./input-schema.ts";

interface Field {
  readonly type?: string;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly anyOf?: readonly Field[];
  readonly items?: Field;
  readonly properties?: Readonly<Record<string, Field>>;
}

/** The reference page of the policy input, made from the descriptions of its schema: one line for each field, nested ones below. */
export function policyInputPage(): string {
  const schema: JsonObject = policyInputJsonSchema();
  return [
    "# The policy input",
    "",
    "<!-- Made from the schema in src/policy/input.ts by scripts/generate-policy-docs.mjs; change that. -->",
    "",
    "What a rule sees as `input`. No field is required: one that is missing or of another type is for the policy to judge. Only",
    "`arguments`, `args` and what is read from them under `shell` are written by the model; everything else is stated by Regate or its host.",
    "",
    ...lines(schema, 0),
    "",
  ].join("\n");
}

function lines({ properties = {} }: Field, depth: number): readonly string[] {
  return Object.entries(properties).flatMap(([name, field]) => {
    const about = field.description === undefined ? "" : `: ${field.description}`;
    const own = `${"  ".repeat(depth)}- \`${name}\` (${typeOf(field)})${about}`;
    return [own].concat(lines(field.items ?? field, depth + 1));
  });
}

function typeOf({ type, enum: values, anyOf, items }: Field): string {
  if (values !== undefined) return values.map((value) => `\`${value}\``).join(", ");
  if (anyOf !== undefined) return anyOf.map(typeOf).join(" or ");
  return type === "array" && items !== undefined ? `array of ${typeOf(items)}` : (type ?? "any value");
}
