import { readFileSync } from "node:fs";
import { join } from "node:path";
import { sample } from "fast-check";
import { loadPolicy } from "@open-policy-agent/opa-wasm";
import { expect, it } from "vitest";
import { createInstance } from "../../src/policy/instance.ts";
import { packagedFolder } from "../../src/policy/locate.ts";
import { policyInputs } from "../laws/policy-inputs.ts";

it("an instance gives the result sets that OPA's own package gives", { timeout: 60_000 }, async () => {
  const read = (name: string) => readFileSync(join(packagedFolder("default"), name));
  const peer = await loadPolicy(read("policy.wasm"));
  peer.setData(JSON.parse(read("data.json").toString("utf8")) as object);
  const instance = createInstance({
    module: new WebAssembly.Module(read("policy.wasm")),
    data: read("data.json"),
    memory: { initial: 8, maximum: 512 },
  });
  const differing = sample(policyInputs, { numRuns: 2000, seed: 7 }).filter((input) => {
    const entrypoint = instance.entrypoints.get("gate/decision") ?? -1;
    return instance.evaluate(entrypoint, JSON.stringify(input)) !== JSON.stringify(peer.evaluate(input, "gate/decision"));
  });
  expect(differing).toEqual([]);
});
