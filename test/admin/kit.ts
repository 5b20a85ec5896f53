import { readFileSync } from "node:fs";
import { request } from "node:http";
import type { IncomingHttpHeaders } from "node:http";
import { Ajv2020 } from "ajv/dist/2020.js";
import type { ValidateFunction } from "ajv/dist/2020.js";
import { expect, onTestFinished } from "vitest";
import type { RequestLine } from "../../src/admin/app.ts";
import { openApiDocument } from "../../src/admin/openapi.ts";
import { ROUTES } from "../../src/admin/routes/table.ts";
import { startAdminServer } from "../../src/admin/server.ts";
import type { AdminServer, AdminServerOptions } from "../../src/admin/server.ts";
import { openApprovalFiles } from "../../src/govern/approval-files.ts";
import { openStores } from "../../src/admin/stores.ts";
import { createKey } from "../../src/govern/keys.ts";
import { temporaryFolder } from "../audit/kit.ts";

/** What came back. */
export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly json: any;
}

/** How a request differs from a plain GET with a good key. */
export interface Asking {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Token of the bearer; `null` for none. */
  readonly token?: string | null;
}

/** A server that runs in this process over real HTTP, with a key named `anna`. */
export interface AdminKit {
  readonly server: AdminServer;
  readonly stateDir: string;
  readonly keysDir: string;
  readonly token: string;
  readonly lines: RequestLine[];
  readonly notes: string[];
  readonly stop: AbortController;
  /** Asks, and checks the answer against the OpenAPI document that the server serves. */
  readonly ask: (path: string, asking?: Asking) => Promise<Reply>;
  readonly post: (path: string, body: unknown, token?: string) => Promise<Reply>;
}

/** Makes a key and gives its token. */
export function makeToken(kit: { readonly stateDir: string; readonly keysDir: string }, name: string, owner = name): string {
  return readFileSync(createKey(kit, { name, owner, now: new Date() }), "utf8").trim();
}

/** Starts a server; it ends with the test. */
export async function startKit(more: Partial<AdminServerOptions> = {}, stateDir = temporaryFolder(), name = "anna"): Promise<AdminKit> {
  const keysDir = temporaryFolder();
  const token = makeToken({ stateDir, keysDir }, name);
  const [lines, notes]: [RequestLine[], string[]] = [[], []];
  const stop = new AbortController();
  const server = await startAdminServer({
    stateDir,
    host: "127.0.0.1",
    port: 0,
    ports: openStores({ approvals: openApprovalFiles(stateDir), now: () => new Date(), report: (problem) => notes.push(String(problem)) }),
    version: "0.0.0",
    log: (line) => lines.push(line),
    note: (line) => notes.push(line),
    stop: stop.signal,
    ...more,
  });
  onTestFinished(async () => {
    stop.abort();
    await server.ended;
  });
  const ask = async (path: string, asking: Asking = {}): Promise<Reply> => {
    const reply = await send(server.url + path, { token, ...asking });
    expectDocumented(asking.method ?? "GET", path, reply);
    return reply;
  };
  const post = (path: string, body: unknown, own = token): Promise<Reply> =>
    ask(path, { method: "POST", body: typeof body === "string" ? body : JSON.stringify(body), token: own });
  return { server, stateDir, keysDir, token, lines, notes, stop, ask, post };
}

/** One request over a connection of its own; `fetch` would not let a test set Host or Origin. */
export function send(url: string, { method = "GET", headers = {}, body, token = null }: Asking): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const bearer = token === null ? {} : { authorization: `Bearer ${token}` };
    const asked = request(
      url,
      { method, headers: { ...bearer, ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers }, agent: false },
      (answer) => {
        const parts: Buffer[] = [];
        answer.on("data", (part: Buffer) => parts.push(part));
        answer.on("error", reject);
        answer.on("end", () => {
          const text = Buffer.concat(parts).toString("utf8");
          const isJson = answer.headers["content-type"]?.startsWith("application/json") === true;
          resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text, json: isJson ? JSON.parse(text) : undefined });
        });
      },
    );
    asked.on("error", reject);
    asked.end(body);
  });
}

const DOCUMENT = openApiDocument(ROUTES, "0.0.0") as any;
const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
ajv.addSchema({ $id: "doc", ...DOCUMENT });
const validators = new Map<string, ValidateFunction>();

/** Every JSON answer is one that the document names. */
export function expectDocumented(method: string, path: string, { status, json }: Reply): void {
  if (json === undefined) return;
  const plain = path.split("?")[0] ?? "";
  const known = Object.keys(DOCUMENT.paths).find((pattern) => new RegExp(`^${pattern.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(plain));
  const responses = known === undefined ? undefined : DOCUMENT.paths[known][method.toLowerCase()]?.responses;
  if (responses === undefined) {
    expect([404, 403, 401, 200]).toContain(status);
    return;
  }
  const place = `${known} ${method} ${status}`;
  expect(Object.keys(responses), place).toContain(String(status));
  const pointer = ["paths", known ?? "", method.toLowerCase(), "responses", String(status), "content", "application/json", "schema"];
  const ref = `doc#/${pointer.map((part) => encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1"))).join("/")}`;
  const validate = validators.get(ref) ?? ajv.compile({ $ref: ref });
  validators.set(ref, validate);
  expect(validate(json) ? [] : validate.errors, place).toEqual([]);
}
