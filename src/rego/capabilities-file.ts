import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { isJsonObject } from "./json.ts";
import type { JsonObject, JsonValue } from "./json.ts";
import { GatherError } from "./gather.ts";

/**
 * Reads `--capabilities`: a JSON file, or the name of an OPA version.
 * @throws {GatherError} when it is neither
 */
export async function readCapabilities(cwd: string, value: string): Promise<JsonObject | string> {
  if (/^v\d+\.\d+\.\d+$/u.test(value)) return value;
  const fail = (what: string): never => {
    throw new GatherError([{ code: "load_error", message: `${value}: ${what}` }]);
  };
  const text = await readFile(resolve(cwd, value), "utf8").catch(() => fail("cannot read the capabilities"));
  const parsed = ((): JsonValue => {
    try {
      return JSON.parse(text) as JsonValue;
    } catch {
      return fail("the capabilities are not JSON");
    }
  })();
  return isJsonObject(parsed) ? parsed : fail("the capabilities are not a JSON object");
}
