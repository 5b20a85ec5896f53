import { isIP } from "node:net";

/** From where requests may come. */
export interface Places {
  readonly host: string;
  readonly port: number;
  /** How humans reach the page, if it is not by host and port. */
  readonly publicUrl?: string | undefined;
}

/** Judges the `Host` and `Origin` headers of a request (DNS rebinding, other sites). */
export interface SiteGuard {
  readonly allows: (host: string | undefined, origin: string | undefined) => boolean;
}

const LOOPBACK = ["localhost", "127.0.0.1", "[::1]"];
const EVERYWHERE = new Set(["0.0.0.0", "::"]);

/** Tells whether an address can be reached from this machine alone. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(?:\.\d{1,3}){3}$/.test(host);
}

/**
 * Makes the guard: a request must name this server as its host, and a browser must send it from this server's own page. A server that
 * listens everywhere is also known by the number of each of its addresses: only a name can be rebound.
 */
export function createSiteGuard({ host, port, publicUrl }: Places): SiteGuard {
  const names = isLoopback(host) ? LOOPBACK : [isIP(host) === 6 ? `[${host}]` : host];
  const hosts = new Set(names.flatMap((name) => withPort(name, port)));
  const origins = new Set([...hosts].map((name) => `http://${name}`));
  if (publicUrl !== undefined) {
    const url = new URL(publicUrl);
    hosts.add(url.host);
    origins.add(url.origin);
  }
  const isNumber = (name: string): boolean => {
    const [, address = ""] = /^\[?([0-9a-f.:]+?)\]?(?::\d+)?$/.exec(name) ?? [];
    return EVERYWHERE.has(host) && isIP(address) !== 0;
  };
  return {
    allows(name = "", origin) {
      const isHere = hosts.has(name.toLowerCase()) || isNumber(name);
      return isHere && (origin === undefined || origins.has(origin) || (isNumber(name) && origin === `http://${name}`));
    },
  };
}

function withPort(name: string, port: number): readonly string[] {
  return port === 80 ? [name, `${name}:80`] : [`${name}:${port}`];
}
