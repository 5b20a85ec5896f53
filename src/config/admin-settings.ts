import { isIP } from "node:net";
import type { Setting } from "./setting.ts";

/** Reads `HOST:PORT`, `[IPv6]:PORT` or `PORT`; undefined for anything else. */
export function listenAddress(value: string): { readonly host: string; readonly port: number } | undefined {
  const [, six, name, digits = ""] = /^(?:\[([0-9a-fA-F:.]+)\]:|([A-Za-z0-9.-]+):)?([0-9]{1,5})$/.exec(value) ?? [];
  const port = Number(digits);
  if (digits === "" || port > 65_535 || (six !== undefined && isIP(six) !== 6)) return undefined;
  return { host: six ?? name ?? "127.0.0.1", port };
}

/** Tells whether a name stands for this machine alone. */
export function isLoopbackName(host: string): boolean {
  return host === "localhost" || host === "::1" || host === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(host);
}

function urlProblem(value: string): string | undefined {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (url === undefined || url.username !== "" || url.password !== "" || url.hash !== "") return "must be a URL without user and fragment";
  const isPlain = url.protocol === "http:" && isLoopbackName(url.hostname);
  return url.protocol === "https:" || isPlain ? undefined : "must begin with https:// (http:// on this machine alone)";
}

/** The settings of `regate admin serve`. */
export const ADMIN_SETTINGS = {
  listen: {
    name: "listen",
    kind: "text",
    env: ["REGATE_ADMIN_LISTEN"],
    placeholder: "HOST:PORT",
    describe:
      "where the admin server listens; beyond this machine only behind a proxy with TLS, see --public-url (default: 127.0.0.1:8787)",
    problem: (value) => (listenAddress(value) === undefined ? "must be HOST:PORT, such as 127.0.0.1:8787" : undefined),
  },
  publicUrl: {
    name: "public-url",
    kind: "text",
    env: ["REGATE_ADMIN_PUBLIC_URL"],
    placeholder: "URL",
    describe: "how approvers reach the page, for links and for the check of Host and Origin (default: the address of --listen)",
    problem: urlProblem,
  },
  webhookUrl: {
    name: "webhook-url",
    kind: "text",
    env: ["REGATE_WEBHOOK_URL"],
    placeholder: "URL",
    describe: "gets a signed POST for each new, decided and expired request (default: none)",
    problem: urlProblem,
  },
  webhookSecretFile: {
    name: "webhook-secret-file",
    kind: "text",
    env: ["REGATE_WEBHOOK_SECRET_FILE"],
    placeholder: "FILE",
    describe: "file 0600 with the secret that signs the webhook, `whsec_` and base64 (default: none)",
  },
} as const satisfies Record<string, Setting>;
