import type { ListenAddress } from "../config/http-settings.ts";
import { ConfigError, errorCode } from "../config/config-error.ts";
import { TOKEN_SETTINGS } from "../config/token-settings.ts";
import type { Arguments } from "./command.ts";

/**
 * Whoever asks for tokens on the command line means a front that asks for them: over stdio nobody shows one.
 * @throws ConfigError when a flag of tokens stands there and nothing listens
 */
export function checkTokenFlags({ values }: Arguments, listen: ListenAddress | undefined): void {
  const name = Object.values(TOKEN_SETTINGS).find((setting) => values.has(setting.name))?.name;
  if (listen !== undefined || name === undefined) return;
  throw new ConfigError("config.option", `\`--${name}\` needs \`--listen\`: over stdio nobody shows a token`);
}

/** What is started, and how it is told. */
export interface Starting<Running> {
  /** Gives the address of the endpoint. */
  readonly start: () => Promise<Running>;
  /** Says what is in force: once the port accepts, so that a refusal to start is one line. */
  readonly said: () => void;
  readonly note: (line: string) => void;
}

/**
 * Starts something that listens; once the port accepts it is said what is in force, and on one line where.
 * @throws ConfigError when the address cannot be listened on
 */
export async function startListening<Running extends { readonly url: string }>(
  { host, port }: ListenAddress,
  { start, said, note }: Starting<Running>,
): Promise<Running> {
  const running = await start().catch((cause: unknown) => {
    throw listenRefusal(cause, { from: "--listen", address: `${host}:${port}` });
  });
  said();
  note(`listening on ${running.url}`);
  return running;
}

const LISTEN_FAULTS: ReadonlySet<string> = new Set(["EADDRINUSE", "EADDRNOTAVAIL", "EACCES", "ENOTFOUND", "EAI_AGAIN", "EAFNOSUPPORT"]);

/**
 * The refusal to start when an address cannot be listened on; every other error as it is.
 * @param tried the flag, and the address that it names
 */
export function listenRefusal(cause: unknown, { from, address }: { readonly from: string; readonly address: string }): unknown {
  const code = errorCode(cause);
  if (!LISTEN_FAULTS.has(code)) return cause;
  const what = `\`${from}\`: \`${address}\` cannot be listened on (${code}): choose another address`;
  return new ConfigError("config.option", what, { cause });
}
