import { z } from "zod";

const name = z.string().regex(/^[a-z][a-z0-9_]*$/u);

/** bundles/<name>/bundle.json (design §1): what goes into a bundle. */
const schema = z.strictObject({
  rules: z.array(name).min(1),
  entrypoints: z.array(z.string().regex(/^[a-z][a-z0-9_]*(?:\/[a-z][a-z0-9_]*)+$/u)).min(1),
  optimize: z.union([z.literal(0), z.literal(1), z.literal(2)]).optional(),
  self_test: z.array(z.strictObject({ input: z.record(z.string(), z.json()), allow: z.boolean() })).optional(),
});

export type BundleSpec = z.infer<typeof schema>;

/** Names of bundles are folder names and go on the command line. */
export const BUNDLE_NAME = /^[a-z0-9][a-z0-9-]*$/u;

/**
 * Reads the text of a bundle.json.
 * @throws Error whose message names the first wrong field
 */
export function parseBundleSpec(text: string): BundleSpec {
  const result = schema.safeParse(JSON.parse(text));
  if (result.success) return unoptimised(result.data);
  const [issue] = result.error.issues;
  throw new Error(issue === undefined ? "not a bundle description" : `\`${issue.path.join(".")}\`: ${issue.message.toLowerCase()}`);
}

/** OPA's optimiser gives negated rules of two entrypoints one name and so loses denials (v1.22.4, test/laws/optimised.test.ts). */
function unoptimised(spec: BundleSpec): BundleSpec {
  if ((spec.optimize ?? 0) > 0 && spec.entrypoints.length > 1) {
    throw new Error("`optimize`: must be 0 with more than one entrypoint, since OPA's optimiser then loses denials");
  }
  return spec;
}
