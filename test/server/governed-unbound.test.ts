import { afterEach, expect, it } from "vitest";
import { DECLARED_RISK } from "../../src/call/risk-table.ts";
import { counted, openCorridor, removeFolders, resultOf } from "./support.ts";

afterEach(removeFolders);

const GOVERNED = [...DECLARED_RISK.keys()].filter((name) => /^(?:admin_|identity_)/.test(name));

it("[003-engine-unbound] each of the eight governed tools answers that the engine is not bound", async () => {
  const { corridor } = openCorridor({ engine: undefined });
  expect(GOVERNED).toHaveLength(8);
  for (const tool of GOVERNED) {
    const { request, state } = counted(tool);
    const { content, isError } = resultOf(await corridor.call(request));
    expect([tool, content, isError, state.runs]).toEqual([tool, [{ type: "text", text: "agent: security engine is not bound" }], true, 0]);
  }
});
