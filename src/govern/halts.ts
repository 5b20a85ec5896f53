import { join } from "node:path";
import { z } from "zod";
import { governError } from "./govern-error.ts";
import { agentIdSchema, sessionIdSchema } from "./scope.ts";
import { listStoreFolder, readStoreFile, replaceStoreFile } from "./store-file.ts";

const haltSchema = z.strictObject({
  v: z.literal(1),
  session: sessionIdSchema,
  agent: agentIdSchema,
  halted_at: z.iso.datetime(),
  decision_id: z.string().max(64),
  code: z.string().max(256),
  rule: z.string().max(256),
  after_seq: z.int().min(0),
});

/** A session that a denial with `halt` stopped (design §2): by which decision, and after which entry of the chain of stops. */
export type Halt = Readonly<z.infer<typeof haltSchema>>;

const pathOf = (stateDir: string, session: string): string => join(stateDir, "halts", `${session}.json`);

/** Files a halt, durably. @throws GovernError `govern.store_unwritable` */
export function fileHalt(stateDir: string, halt: Halt): void {
  replaceStoreFile(pathOf(stateDir, halt.session), `${JSON.stringify(halt)}\n`);
}

/** The halt of a session, lifted or not. @throws GovernError `govern.store_unreadable` */
export function readHalt(stateDir: string, session: string): Halt | undefined {
  const path = pathOf(stateDir, session);
  const text = readStoreFile(path, 65_536);
  if (text === undefined) return undefined;
  const parsed = haltSchema.safeParse(jsonOf(text));
  if (!parsed.success || parsed.data.session !== session)
    throw governError("govern.store_unreadable", `\`${path}\` is not the record of a halt`);
  return parsed.data;
}

/**
 * Every halt on record, lifted or not.
 * @param onProblem told of each file that is none, and of the session whose halt it would be
 * @throws GovernError `govern.store_unreadable` for the folder
 */
export function haltsOf(stateDir: string, onProblem: (problem: unknown, session: string) => void): readonly Halt[] {
  const names = listStoreFolder(join(stateDir, "halts"), /^[A-Za-z0-9][A-Za-z0-9._-]*\.json$/);
  return names.flatMap((name) => {
    const session = name.slice(0, -".json".length);
    try {
      return readHalt(stateDir, session) ?? [];
    } catch (error) {
      onProblem(error, session);
      return [];
    }
  });
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
