import { isIP } from "node:net";
import { ConfigError } from "./config-error.ts";
import { wholeNumber, type Setting } from "./setting.ts";
import { pick, type Sources } from "./sources.ts";
import { tokenOptions, type TokenOptions, type TokenPicks, tokenPicks } from "./token-settings.ts";

/** An address to listen on. */
export interface ListenAddress {
  /** An IP address, or a name that is resolved when the port is opened. */
  readonly host: string;
  /** 0: a free one. */
  readonly port: number;
}

/** Where and how Streamable HTTP is served (docs/http.md). */
export interface HttpOptions {
  /** Absent: stdio is served. */
  readonly listen?: ListenAddress;
  /** Absent: no tokens are asked for, or stdio is served. */
  readonly tokens?: TokenOptions;
  readonly auth: TokenPicks;
  readonly limits: { readonly maxSessions: number; readonly idleMs: number };
}

const DEFAULTS = { maxSessions: 256, idleSeconds: 3_600 } as const;

const ADDRESS = /^(?:\[([^\]]+)\]|([^:[\]]+)):([0-9]{1,5})$/;

function parsed(value: string): ListenAddress | undefined {
  const [, bracketed, plain, digits] = ADDRESS.exec(value) ?? [];
  const host = bracketed ?? plain;
  const port = Number(digits);
  if (host === undefined || port > 65_535 || (bracketed !== undefined && isIP(bracketed) !== 6)) return undefined;
  return isIP(host) !== 0 || /^[A-Za-z0-9](?:[A-Za-z0-9.-]{0,252}[A-Za-z0-9])?$/.test(host) ? { host, port } : undefined;
}

function listenProblem(value: string): string | undefined {
  return parsed(value) === undefined ? "must be HOST:PORT, such as `127.0.0.1:8931` or `[::1]:8931`" : undefined;
}

/** The settings of the HTTP front. */
export const HTTP_SETTINGS = {
  listen: {
    name: "listen",
    kind: "text",
    env: ["REGATE_LISTEN"],
    placeholder: "HOST:PORT",
    describe: "serve Streamable HTTP at /mcp of this address in place of stdio; port 0 takes a free one (default: stdio)",
    problem: listenProblem,
  },
  httpMaxSessions: {
    name: "http-max-sessions",
    kind: "number",
    env: ["REGATE_HTTP_MAX_SESSIONS"],
    placeholder: "SESSIONS",
    describe: "how many clients are served over HTTP at a time (default: 256)",
    problem: wholeNumber(1, 10_000),
  },
  httpIdleSeconds: {
    name: "http-idle-seconds",
    kind: "number",
    env: ["REGATE_HTTP_IDLE_SECONDS"],
    placeholder: "SECONDS",
    describe: "an HTTP client that asks nothing for so long is forgotten (default: 3600)",
    problem: wholeNumber(1, 2_592_000),
  },
} as const satisfies Record<string, Setting>;

/** Whether only this machine can reach an address. */
function isLoopback(host: string): boolean {
  return host.toLowerCase() === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));
}

/**
 * What is set of the HTTP front.
 * @throws ConfigError `config.option` when others than this machine could reach a front that asks nobody who they are
 */
export function httpOptions(sources: Sources): HttpOptions {
  const number = (setting: Setting, fallback: number): number => Number(pick(setting, sources)?.value ?? fallback);
  return Object.freeze({
    ...listenOptions(sources),
    auth: tokenPicks(sources),
    limits: Object.freeze({
      maxSessions: number(HTTP_SETTINGS.httpMaxSessions, DEFAULTS.maxSessions),
      idleMs: number(HTTP_SETTINGS.httpIdleSeconds, DEFAULTS.idleSeconds) * 1_000,
    }),
  });
}

function listenOptions(sources: Sources): Pick<HttpOptions, "listen" | "tokens"> {
  const picked = pick(HTTP_SETTINGS.listen, sources);
  const address = picked === undefined ? undefined : parsed(picked.value);
  if (picked === undefined || address === undefined) return {};
  const tokens = tokenOptions(sources);
  if (tokens === undefined && !isLoopback(address.host)) {
    const problem = "is no loopback address: that needs tokens (`--auth-issuer`, `--auth-audience`, `--auth-jwks-file`)";
    throw new ConfigError("config.option", `${picked.from}: \`${picked.value}\` ${problem}`);
  }
  const listen = Object.freeze({ ...address, host: address.host.toLowerCase() === "localhost" ? "127.0.0.1" : address.host });
  return tokens === undefined ? { listen } : { listen, tokens };
}
