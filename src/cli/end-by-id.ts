import type { Command } from "./command.ts";
import { GOVERN_FLAGS, neededFlag, neededId, placeOptions, signed, tellDone } from "./govern.ts";

type Signed = Awaited<ReturnType<typeof signed>>;

/** A command that ends something which a human gave, before its time. */
export interface EndingCommand {
  readonly of: "elevation" | "lease";
  readonly verb: string;
  /** What is said to have been done, after the id: `is dropped`. */
  readonly done: string;
  readonly example: { readonly reason: string; readonly effect: string };
  /** Writes the end, signed. */
  readonly end: (stateDir: string, change: { readonly id: string; readonly reason: string }, by: Signed["by"]) => Promise<unknown>;
}

/** `regate elevation drop` and `regate lease revoke`: an id, a reason and a key (design §8). */
export function endingCommand({ of, verb, done, example, end }: EndingCommand): Command {
  const command = `${of} ${verb}`;
  return {
    path: [of, verb],
    summary: `end ${of === "elevation" ? "an" : "a"} ${of} before its time`,
    options: [GOVERN_FLAGS.reason, GOVERN_FLAGS.key, ...placeOptions()],
    words: { name: "id", describe: `id of the ${of}`, max: 1 },
    examples: [[`$0 ${command} 8c1f0a52d7be4f3c9a61e20b7d5f4e18 --reason "${example.reason}" --key anna`, example.effect]],
    run: async (args, io) => {
      const id = neededId(args, { command, of });
      const reason = neededFlag(args, { command, flag: "reason" });
      const { stateDir, by } = await signed(args, command);
      await end(stateDir, { id, reason }, by);
      await tellDone(io, `${of} ${id} ${done}`);
      return 0;
    },
  };
}
