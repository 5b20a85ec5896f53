import type { ListenAddress } from "../config/http-settings.ts";
import { ConfigError, errorCode } from "../config/config-error.ts";

/**
 * Starts something that listens, and says on one line where, once the port accepts.
 * @param start gives the address of the endpoint
 * @throws ConfigError when the address cannot be listened on
 */
export async function startListening<Running extends { readonly url: string }>(
  { host, port }: ListenAddress,
  start: () => Promise<Running>,
  note: (line: string) => void,
): Promise<Running> {
  const running = await start().catch((cause: unknown) => {
    const code = errorCode(cause);
    if (!LISTEN_FAULTS.has(code)) throw cause;
    throw new ConfigError("config.option", `\`--listen\`: \`${host}:${port}\` cannot be listened on (${code}): choose another address`, {
      cause,
    });
  });
  note(`listening on ${running.url}`);
  return running;
}

const LISTEN_FAULTS: ReadonlySet<string> = new Set(["EADDRINUSE", "EADDRNOTAVAIL", "EACCES", "ENOTFOUND", "EAI_AGAIN", "EAFNOSUPPORT"]);
