import { ADMIN_SETTINGS, isLoopbackName, listenAddress } from "./admin-settings.ts";
import { ConfigError } from "./config-error.ts";
import { readStateDir, withFile } from "./options.ts";
import { readBoundedFile } from "./read-file.ts";
import { sharedStateLink, type SharedStateLink } from "./shared-settings.ts";
import { type FlagValues, pathOf, pick, type Picked, type Surroundings } from "./sources.ts";

/** What the admin server needs to know, frozen and validated. */
export interface AdminOptions {
  readonly stateDir: string;
  readonly host: string;
  readonly port: number;
  /** Origin and path under which humans reach the page. */
  readonly publicUrl?: string;
  readonly webhook?: { readonly url: string; readonly secret: Buffer };
  /** Where fronts share their approvals; absent: they are in the state directory. */
  readonly shared: SharedStateLink | undefined;
}

const DEFAULT_LISTEN = "127.0.0.1:8787";
const MIN_SECRET_BYTES = 24;

/**
 * Options of `admin serve`, by the same precedence as those of `serve`.
 * @throws ConfigError for the first thing that is wrong
 */
export async function resolveAdminOptions(flags: FlagValues, around: Surroundings): Promise<AdminOptions> {
  const sources = await withFile(flags, around);
  const stateDir = readStateDir(sources);
  // The key `listen` of the file is that of `serve`.
  const { file: _file, ...elsewhere } = sources;
  const listen = pick(ADMIN_SETTINGS.listen, elsewhere);
  const { host, port } = listenAddress(listen?.value ?? DEFAULT_LISTEN) ?? { host: "127.0.0.1", port: 8787 };
  const publicUrl = pick(ADMIN_SETTINGS.publicUrl, sources)?.value;
  if (listen !== undefined && !isLoopbackName(host) && !publicUrl?.startsWith("https:"))
    throw refused(
      listen,
      "reaches beyond this machine, where keys need TLS: put a proxy in front and name it with `--public-url https://…`",
    );
  const webhook = webhookOf(pick(ADMIN_SETTINGS.webhookUrl, sources), pick(ADMIN_SETTINGS.webhookSecretFile, sources));
  return Object.freeze({
    stateDir,
    host,
    port,
    shared: sharedStateLink(sources),
    ...(publicUrl === undefined ? {} : { publicUrl }),
    ...(webhook === undefined ? {} : { webhook }),
  });
}

function webhookOf(url: Picked | undefined, file: Picked | undefined): AdminOptions["webhook"] {
  if (url === undefined) {
    if (file !== undefined) throw refused(file, "signs nothing: give `--webhook-url`, too");
    return undefined;
  }
  if (file === undefined) throw refused(url, "needs a secret that signs: give `--webhook-secret-file`, too");
  return Object.freeze({ url: url.value, secret: secretIn(file) });
}

function secretIn(file: Picked): Buffer {
  const read = readBoundedFile(pathOf(file), { maxBytes: 1_024, links: false, private: true });
  if (!read.ok) throw refused(file, read.problem, read.cause);
  const [, encoded = ""] = /^whsec_([A-Za-z0-9+/]+={0,2})\s*$/.exec(read.text) ?? [];
  const secret = Buffer.from(encoded, "base64");
  if (secret.length < MIN_SECRET_BYTES) throw refused(file, `must hold \`whsec_\` and at least ${MIN_SECRET_BYTES} bytes as base64`);
  return secret;
}

function refused({ from, value }: Picked, problem: string, cause?: unknown): ConfigError {
  return new ConfigError("config.option", `${from}: \`${value}\` ${problem}`, { cause });
}
