import { visible } from "../call/visible.ts";
import { ConfigError } from "../config/config-error.ts";
import { checkWritable } from "../config/state-dir.ts";
import type { Arguments, Command, Io } from "./command.ts";
import { GOVERN_FLAGS, governOptions, neededWord, placeOptions, printList, tellDone, writableGovernOptions } from "./govern.ts";

async function keyName(args: Arguments, command: string): Promise<string> {
  const { KEY_NAME } = await import("../govern/key-pair.ts");
  const name = neededWord(args, { command, what: "the name of the key" });
  if (KEY_NAME.test(name)) return name;
  throw new ConfigError("config.command_line", `\`${name}\` cannot name a key: give 1 to 32 of a-z, 0-9 and -, no - at its ends`);
}

async function create(args: Arguments, io: Io): Promise<number> {
  const name = await keyName(args, "keys create");
  const places = await writableGovernOptions(args);
  checkWritable(places.keysDir, { what: "keys directory", flag: "--keys-dir" });
  const [{ createKey }, { osUser }] = await Promise.all([import("../govern/keys.ts"), import("../session/os-user.ts")]);
  const owner = args.values.get("owner") ?? osUser().user;
  const path = createKey(places, { name, owner, now: new Date() });
  await tellDone(
    io,
    `key \`${name}\` of \`${visible(owner)}\` is on record; its private part is in \`${visible(path)}\`: keep it from every agent`,
  );
  return 0;
}

async function list(args: Arguments, io: Io): Promise<number> {
  const { stateDir } = await governOptions(args);
  const { listKeys } = await import("../govern/keys.ts");
  const columns = ["name", "owner", "created_at", "revoked_at", "public_key"];
  await printList(io, listKeys(stateDir), { json: args.switches.has("json"), columns });
  return 0;
}

async function revoke(args: Arguments, io: Io): Promise<number> {
  const name = await keyName(args, "keys revoke");
  const { stateDir } = await writableGovernOptions(args);
  const { revokeKey } = await import("../govern/keys.ts");
  const { revoked_at: at = "" } = revokeKey(stateDir, name, new Date());
  await tellDone(io, `key \`${name}\` is revoked since ${at}`);
  return 0;
}

/** `regate keys create|list|revoke`: the named keys of the humans who decide (design §8). */
export const KEYS_COMMANDS: readonly Command[] = [
  {
    path: ["keys", "create"],
    summary: "make a named key for a human who decides",
    options: [GOVERN_FLAGS.owner, ...placeOptions()],
    words: { name: "name", describe: "name of the key: a-z, 0-9 and -", max: 1 },
    examples: [["$0 keys create anna --owner anna@example.org", "a key whose owner may approve what others ask for"]],
    run: create,
  },
  {
    path: ["keys", "list"],
    summary: "list the keys on record: their public parts",
    options: [GOVERN_FLAGS.json, ...placeOptions()],
    examples: [["$0 keys list --json", "names, owners and public keys as JSON"]],
    run: list,
  },
  {
    path: ["keys", "revoke"],
    summary: "revoke a key: what it signed before stays valid, nothing that it signs later does",
    options: placeOptions(),
    words: { name: "name", describe: "name of the key", max: 1 },
    examples: [["$0 keys revoke anna", "anna decides nothing more"]],
    run: revoke,
  },
];
