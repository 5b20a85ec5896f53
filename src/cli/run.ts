import { ConfigError } from "../config/config-error.ts";
import { visible } from "../call/visible.ts";
import type { Command, Io } from "./command.ts";
import { COMMANDS } from "./commands.ts";
import { COMPLETE_WORD, completions } from "./complete.ts";
import { write } from "./output.ts";
import { parseArguments } from "./parse.ts";
import { type Screened, screenArgv } from "./screen.ts";

const FAILED = 1;
const REFUSED = 2;

async function versionText(): Promise<string> {
  const { regateVersion, opaVersion } = await import("../config/version.ts");
  return `regate ${regateVersion()}\nopa ${opaVersion()}\n`;
}

async function runScreened(screened: Screened, commands: readonly Command[], io: Io): Promise<number> {
  if (screened.ask === "version") {
    await write(io.stdout, await versionText());
    return 0;
  }
  if (screened.ask === "help" || screened.command === undefined) {
    const { helpText } = await import("./help.ts");
    await write(io.stdout, await helpText(commands, screened.path));
    return 0;
  }
  return screened.command.run(parseArguments(screened.command, screened.argv), io);
}

function report(error: unknown, io: Io): number {
  if (error instanceof ConfigError) {
    io.note(error.message);
    return REFUSED;
  }
  const gone = error instanceof Error && "code" in error && error.code === "EPIPE";
  if (!gone) io.note(error instanceof Error ? error.message : String(error));
  return FAILED;
}

/**
 * Runs one command line and gives the exit code (design §3): 0 fine, 1 failed while running, 2 refused to start, 3 denied.
 * Whatever goes wrong becomes one line on stderr; a reader of the output that went away is no news.
 * @param tokens words after the program's name
 */
export async function runCli(tokens: readonly string[], io: Io): Promise<number> {
  try {
    if (tokens[0] === COMPLETE_WORD) {
      await write(
        io.stdout,
        completions(tokens.slice(1), COMMANDS)
          .map((word) => `${word}\n`)
          .join(""),
      );
      return 0;
    }
    return await runScreened(screenArgv(tokens, COMMANDS), COMMANDS, io);
  } catch (error) {
    return report(error, io);
  }
}

/** The one line by which every message of the program reaches stderr. */
export function noteLine(message: string): string {
  return `regate: ${visible(message)}\n`;
}
