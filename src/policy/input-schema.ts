import { z } from "zod";
import type { JsonObject, JsonValue } from "../call/json.ts";
import { isJsonObject } from "../call/json.ts";
import { policyInputSchema } from "./input.ts";

/**
 * JSON schema (draft 7) of the policy input, in the form that OPA's type checker reads rightly: no `$schema` line that could be taken
 * for a reference, and unions as `anyOf`, because OPA takes a list of types for its first member. Pure; the text of
 * `policy/schemas/input.json` is this value as JSON (design §2: the zod schema is the source).
 */
export function policyInputJsonSchema(): JsonObject {
  const { $schema: _, ...schema } = z.toJSONSchema(policyInputSchema, { target: "draft-7", io: "input" });
  return withUnions(schema as JsonObject) as JsonObject;
}

/** Replaces each `type: [a, b]` by `anyOf: [{type: a}, {type: b}]`. */
function withUnions(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withUnions);
  if (!isJsonObject(value)) return value;
  const { type, ...rest } = value;
  const others = Object.fromEntries(Object.entries(rest).map(([key, member]) => [key, withUnions(member)]));
  if (type === undefined) return others;
  if (!Array.isArray(type)) return { ...others, type: withUnions(type) };
  return { ...others, anyOf: type.map((one) => ({ type: one })) };
}
