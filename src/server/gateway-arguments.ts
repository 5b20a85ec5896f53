import { isJsonObject, type JsonObject } from "../call/json.ts";
import { typeMisfit } from "../upstream/argument-types.ts";
import type { ArgumentsCheck } from "../upstream/entry.ts";
import type { UpstreamTool } from "../upstream/tool-table.ts";

/**
 * Checks the arguments of an admitted call as an operator wants it: the declared types, the whole schema too, or nothing
 * (reference/gateway.md, Decisions). Waits only where the whole schema is evaluated, for its evaluator is loaded then.
 * @returns path and expectation of the first misfit
 */
export function argumentsMisfit(
  args: Readonly<JsonObject>,
  { definition, digest }: UpstreamTool,
  check: ArgumentsCheck = "types",
): string | undefined | Promise<string | undefined> {
  if (check === "off") return undefined;
  const { inputSchema } = definition;
  const misfit = typeMisfit(args, inputSchema);
  if (misfit !== undefined || check === "types") return misfit;
  if (!isJsonObject(inputSchema)) return "the tool has no `inputSchema`";
  return import("../upstream/argument-schema.ts").then(({ schemaMisfit }) => schemaMisfit(args, { inputSchema, digest }));
}
