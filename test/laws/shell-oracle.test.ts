import { describe, expect, it } from "vitest";
import { analyseCommand } from "../../src/shell/analyse.ts";
import { haveSystemPart } from "../system-part.ts";
import { compositions, everyPart } from "./shell-compositions.ts";
import { runCommands } from "./shell-oracle.ts";

const SEED = 20_260;
const COUNT = 2000;

const sandboxed = haveSystemPart({ program: "bwrap", package: "bubblewrap" });

/** Commands that destroyed when they were run, and were called clear. */
function missed(commands: readonly string[], ran: ReadonlyMap<number, string>): string[] {
  return [...ran].flatMap(([index, line]) =>
    analyseCommand(commands[index]!).verdict === "clear" ? [`${commands[index]!} :: ${line}`] : [],
  );
}

describe.skipIf(!sandboxed)("what destroyed when it was run is never clear (reference: shell.md §11.2)", () => {
  it("each payload and each wrapper alone", () => {
    const commands = everyPart();
    const ran = runCommands(commands);
    expect(missed(commands, ran)).toEqual([]);
    expect(ran.size).toBeGreaterThan(commands.length * 0.75);
  });

  it(`${COUNT} compositions of up to three wrappers`, () => {
    const commands = compositions(SEED, COUNT);
    const ran = runCommands(commands);
    expect(missed(commands, ran)).toEqual([]);
    expect(ran.size).toBeGreaterThan(COUNT * 0.7);
  }, 300_000);
});
