import { isJsonObject } from "./json.ts";
import type { JsonObject } from "./json.ts";
import type { BundleSources } from "./bundle-sources.ts";
import type { Problem } from "./protocol.ts";
import type { Answer } from "./results.ts";
import type { Toolchain } from "./toolchain.ts";

/**
 * Runs a bundle's self-test on OPA's interpreter: each input must be decided as it says, and the empty input denied, so that a bundle that
 * would be refused at load is not built.
 * @param data the merged data document
 */
export async function selfTestProblems(toolchain: Toolchain, sources: BundleSources, data: Uint8Array): Promise<readonly Problem[]> {
  const path = `bundles/${sources.name}/bundle.json`;
  const query = `data.${(sources.spec.entrypoints[0] ?? "").replaceAll("/", ".")}`;
  const prepared = await toolchain.prepare({ files: sources.rego, query, data: JSON.parse(new TextDecoder().decode(data)) as JsonObject });
  if (!prepared.ok) return prepared.errors;
  const cases = [{ input: {}, allow: false }, ...(sources.spec.self_test ?? [])];
  const answers = await toolchain.many(
    prepared.value,
    cases.map(({ input }) => JSON.stringify(input)),
  );
  await toolchain.release(prepared.value);
  if (!answers.ok) return answers.errors;
  return cases.flatMap(({ input, allow }, index) => {
    const found = allowOf(answers.value[index]);
    const message = `${path}: self-test: input ${JSON.stringify(input)} gives allow ${String(found)}, not ${allow}`;
    return found === allow ? [] : [{ code: "bundle_error", message }];
  });
}

/** `allow` of a decision; anything but true is a denial. */
function allowOf(answer: Answer | undefined): boolean {
  return answer?.kind === "result" && isJsonObject(answer.value) && answer.value["allow"] === true;
}
