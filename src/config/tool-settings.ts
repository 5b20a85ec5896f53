import { ConfigError } from "./config-error.ts";
import type { Setting } from "./setting.ts";
import { pick, type Sources } from "./sources.ts";

/** What the governed tools are told by the operator (docs/governed-tools.md). */
export interface GovernedToolOptions {
  /** Whether tool input and output is recorded. */
  readonly recordings: boolean;
  /** Authorization server of device logins; absent: there are none. */
  readonly deviceIssuer?: { readonly issuer: string; readonly clientId: string; readonly scope: string };
}

/** Settings of the governed tools. */
export const TOOL_SETTINGS = {
  recordings: {
    name: "recordings",
    kind: "text",
    env: ["REGATE_RECORDINGS"],
    placeholder: "on|off",
    choices: ["on", "off"],
    describe: "record what goes into tools and comes out of them, redacted, in the state directory (default: on)",
  },
  deviceIssuer: {
    name: "device-issuer",
    kind: "text",
    env: ["REGATE_DEVICE_ISSUER"],
    placeholder: "URL",
    describe: "authorization server of identity_device_login: https, or http on this machine (default: none)",
    problem: issuerProblem,
  },
  deviceClientId: {
    name: "device-client-id",
    kind: "text",
    env: ["REGATE_DEVICE_CLIENT_ID"],
    placeholder: "ID",
    describe: "public client that asks the authorization server; belongs to --device-issuer",
    problem: (value) => (/^[\x21-\x7e]{1,256}$/.test(value) ? undefined : "must be 1 to 256 visible ASCII characters"),
  },
  deviceScope: {
    name: "device-scope",
    kind: "text",
    env: ["REGATE_DEVICE_SCOPE"],
    placeholder: "SCOPE",
    describe: "scope of a device login (default: openid)",
    problem: (value) =>
      /^[\x21-\x7e]+(?: [\x21-\x7e]+)*$/.test(value) && value.length <= 1_024 ? undefined : "must be scopes joined by one blank",
  },
} as const satisfies Record<string, Setting>;

/** The options as they are set, else their defaults. */
export function governedToolOptions(sources: Sources): GovernedToolOptions {
  return Object.freeze({ recordings: pick(TOOL_SETTINGS.recordings, sources)?.value !== "off", ...deviceIssuerOption(sources) });
}

function deviceIssuerOption(sources: Sources): Pick<GovernedToolOptions, "deviceIssuer"> {
  const issuer = pick(TOOL_SETTINGS.deviceIssuer, sources);
  const client = pick(TOOL_SETTINGS.deviceClientId, sources);
  const scope = pick(TOOL_SETTINGS.deviceScope, sources)?.value ?? "openid";
  if (issuer === undefined && client === undefined) return {};
  if (client === undefined) throw new ConfigError("config.option", "`--device-issuer` needs `--device-client-id`");
  if (issuer === undefined) throw new ConfigError("config.option", "`--device-client-id` needs `--device-issuer`");
  return { deviceIssuer: Object.freeze({ issuer: issuer.value, clientId: client.value, scope }) };
}

/** Addresses of this machine, where plain http goes over no wire. */
const LOOPBACK: ReadonlySet<string> = new Set(["127.0.0.1", "[::1]", "localhost"]);

function issuerProblem(value: string): string | undefined {
  const what = "must be an https URL without user, query and fragment (http on this machine alone)";
  if (!URL.canParse(value)) return what;
  const { protocol, hostname, username, password, search, hash } = new URL(value);
  const isSafe = protocol === "https:" || (protocol === "http:" && LOOPBACK.has(hostname));
  return isSafe && username === "" && password === "" && search === "" && hash === "" ? undefined : what;
}
