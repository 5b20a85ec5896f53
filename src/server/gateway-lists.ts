import { isJsonObject, type JsonObject, type JsonValue } from "../call/json.ts";
import { holdsHiddenText } from "../upstream/hidden-text.ts";
import type { ListMethod, Pages } from "../upstream/paged.ts";
import type { PinKind } from "../upstream/pin-file.ts";
import type { ListedEntry } from "../upstream/tool-table.ts";
import { hasCapability, type Upstream } from "../upstream/upstream.ts";
import { resultAnswer, type Answer } from "./answers.ts";
import type { Names } from "./gateway-names.ts";
import { serverFacts } from "./gateway-names.ts";
import { greetIfNeeded, settleWithin } from "./gateway-start.ts";
import type { GatewayEdge, Owner } from "./gateway-types.ts";
import { pathOf } from "../wire/json-source.ts";
import { writeJson } from "../wire/json-writer.ts";
import { isModern } from "./modern.ts";
import { metaOf } from "./params-rules.ts";
import type { ScreenedRequest } from "./screen.ts";
import { within } from "../wire/within.ts";

/** How long a list waits for servers that are still coming up; the first time only. */
const WAIT_MS = 8_000;
/** Longest time that a client may keep a filtered list. */
const MAX_TTL_MS = 10_000;

/** A list method beside tools/list, and how its entries are told apart. */
interface OtherList extends ListMethod {
  readonly capability: string;
  /** Key of an entry's identity. */
  readonly name: string;
  readonly pins?: PinKind;
}

/** The list methods beside tools/list. */
export const OTHER_LISTS: ReadonlyMap<string, OtherList> = new Map(
  [
    { method: "prompts/list", key: "prompts", capability: "prompts", name: "name", pins: "prompts" as const },
    { method: "resources/list", key: "resources", capability: "resources", name: "uri" },
    {
      method: "resources/templates/list",
      key: "resourceTemplates",
      capability: "resources",
      name: "uriTemplate",
      pins: "templates" as const,
    },
  ].map((list) => [list.method, list]),
);

/** Whether a method lists something. */
export function isList(method: string): boolean {
  return method === "tools/list" || OTHER_LISTS.has(method);
}

/** Answers a list method: of every server that is up, what the agent may see, each entry as its server sent it. */
export async function answerList(edge: GatewayEdge, names: Names, request: ScreenedRequest): Promise<Answer> {
  greetIfNeeded(edge, request);
  await Promise.all(edge.upstreams.map((server) => comeUp(edge, server)));
  return request.method === "tools/list" ? await toolsList(edge, names, request) : await otherList(edge, names, request);
}

async function comeUp(edge: GatewayEdge, server: Upstream<Owner>): Promise<void> {
  if (server.status() !== "starting") return;
  const { missed, waited } = edge.state;
  const settled = settleWithin(edge, server);
  if (!waited.has(server) && (await within(WAIT_MS, settled)) !== undefined) return;
  waited.add(server);
  missed.add(server);
}

async function toolsList(edge: GatewayEdge, names: Names, request: ScreenedRequest): Promise<Answer> {
  const isOne = edge.upstreams.length === 1;
  const pages = await Promise.all(
    edge.upstreams.map(async (server) => (server.status() === "up" ? await server.listTools(paramsFor(edge, server, request)) : undefined)),
  );
  const [first] = pages;
  if (isOne && first?.kind === "error") return errorText(request, writeJson(first.error, first.numbers, ["error"]), first.error["code"]);
  const entries = edge.upstreams.flatMap((server) => [...server.table().tools.values()].map((tool) => ({ server, tool })));
  const shown = entries.filter(({ server, tool }) => {
    if (server.status() !== "up" || tool.status !== "ok") return false;
    const name = names.wireName(server, tool.name);
    return names.find(name).kind === "tool" && edge.corridor.isShown(name);
  });
  const texts = shown.map(({ server, tool }) =>
    isOne ? tool.json : renamed(tool.json, tool.definition, names.wireName(server, tool.name)),
  );
  const rest = isOne && first?.kind === "listed" ? first.first : NO_REST;
  return listAnswer(request, { key: "tools", texts, rest });
}

/** The client's own params for the one server; of several each is asked in our own words. */
function paramsFor(edge: GatewayEdge, server: Upstream<Owner>, { params }: ScreenedRequest): JsonObject | undefined {
  if (edge.upstreams.length > 1 || params === undefined) return undefined;
  const { cursor: _cursor, ...rest } = params;
  const isPlain = server.era() === "legacy" || metaOf(params)["io.modelcontextprotocol/protocolVersion"] !== undefined;
  return isPlain ? rest : undefined;
}

function renamed(json: string, definition: Readonly<JsonObject>, name: string): string {
  const start = `{"name":${JSON.stringify(definition["name"])}`;
  if (json.startsWith(start)) return `{"name":${JSON.stringify(name)}${json.slice(start.length)}`;
  return JSON.stringify({ ...definition, name });
}

async function otherList(edge: GatewayEdge, names: Names, request: ScreenedRequest): Promise<Answer> {
  const list = OTHER_LISTS.get(request.method);
  if (list === undefined) throw new Error("no list method");
  const isOne = edge.upstreams.length === 1;
  const facts = serverFacts(isOne ? edge.upstreams[0] : undefined);
  const judged = edge.corridor.message({ method: request.method, from: "client", params: request.params ?? {}, facts });
  const verdict = judged instanceof Promise ? await judged : judged;
  if (!verdict.allowed) return listAnswer(request, { key: list.key, texts: [], rest: NO_REST });
  const listed = await Promise.all(edge.upstreams.map((server) => listOf(edge, server, { list, request })));
  const [first] = listed;
  if (isOne && first?.error !== undefined) return errorText(request, first.error.text, first.error.code);
  const all = listed.flatMap(({ server, entries }) => entries.map((entry) => ({ server, entry })));
  const shared =
    list.name === "name"
      ? new Set<unknown>()
      : sharedUris(
          listed.map(({ entries }) => entries),
          list.name,
        );
  const texts = all
    .filter(({ server, entry }) => {
      if (isOne) return true;
      return list.name === "name" ? names.isServed(names.wireName(server, textAt(entry, "name"))) : !shared.has(nameOf(entry, list.name));
    })
    .map(({ server, entry }) => textOf(entry, isOne || list.name !== "name" ? undefined : names.wireName(server, textAt(entry, "name"))));
  return listAnswer(request, { key: list.key, texts, rest: isOne ? (first?.rest ?? NO_REST) : NO_REST });
}

interface OneList {
  readonly server: Upstream<Owner>;
  readonly entries: readonly ListedEntry[];
  readonly rest: Rest;
  readonly error?: { readonly text: string; readonly code: JsonValue | undefined };
}

interface ListRequest {
  readonly list: OtherList;
  readonly request: ScreenedRequest;
}

/** One server's list without what its pins hold back. */
async function listOf(edge: GatewayEdge, server: Upstream<Owner>, { list, request }: ListRequest): Promise<OneList> {
  const nothing: OneList = { server, entries: [], rest: NO_REST };
  if (server.status() !== "up") return nothing;
  const isOne = edge.upstreams.length === 1;
  if (!isOne && server.era() === "legacy" && !hasCapability(server.greeting(), list.capability)) return nothing;
  const pages = await server.list(list, paramsFor(edge, server, request));
  if (pages?.kind === "error")
    return { ...nothing, error: { text: writeJson(pages.error, pages.numbers, ["error"]), code: pages.error["code"] } };
  if (pages?.kind !== "listed") return nothing;
  return { server, entries: unpinnedLeftOut(server, list, pages.entries), rest: pages.first };
}

/** Entries that the pins hold back, or that hold hidden text, are left out (reference/gateway.md, Pins). */
function unpinnedLeftOut(server: Upstream<Owner>, { pins, name }: OtherList, entries: readonly ListedEntry[]): readonly ListedEntry[] {
  const sound = entries.filter(({ value }) => isJsonObject(value) && typeof value[name] === "string");
  if (pins === undefined) return sound.filter(({ value }) => !holdsHiddenText(value));
  const statuses = server.observe(
    pins,
    sound.map(({ value }) => ({ name: textAt({ value }, name), definition: value })),
  );
  return sound.filter((entry) => statuses.get(textAt(entry, name)) === "pinned");
}

function textAt(entry: Pick<ListedEntry, "value">, key: string): string {
  const text = nameOf(entry, key);
  return typeof text === "string" ? text : "";
}

/** A member of an entry. */
export function nameOf({ value }: Pick<ListedEntry, "value">, key: string): JsonValue | undefined {
  return isJsonObject(value) ? value[key] : undefined;
}

/** Uris that two servers list: neither serves them. */
function sharedUris(lists: readonly (readonly ListedEntry[])[], key: string): ReadonlySet<unknown> {
  const seen = new Set<unknown>();
  const shared = new Set<unknown>();
  for (const entries of lists) {
    const own = new Set(entries.map((entry) => nameOf(entry, key)));
    for (const uri of own) (seen.has(uri) ? shared : seen).add(uri);
  }
  return shared;
}

function textOf({ value, numbers, base }: ListedEntry, name: string | undefined): string {
  const entry = name === undefined || !isJsonObject(value) ? value : { ...value, name };
  return writeJson(entry, numbers, base);
}

interface ListParts {
  readonly key: string;
  readonly texts: readonly string[];
  /** The first page, for its other members. */
  readonly rest: Rest;
}

type Rest = (Pages & { readonly kind: "listed" })["first"];
const NO_REST: Rest = { result: {}, numbers: [] };

function listAnswer(request: ScreenedRequest, { key, texts, rest: { result, numbers } }: ListParts): Answer {
  const { nextCursor: _cursor, [key]: _entries, ...others } = result;
  const members = isModern(request) ? { ...others, ...modernMembers(others) } : others;
  // What the gateway says itself has no text of the server's.
  const own = numbers.filter(({ at }) => at.key !== "ttlMs" || pathOf(at).length !== 2);
  const more = writeJson(members, own, ["result"]).slice(1, -1);
  return resultAnswer(request.id, `{${JSON.stringify(key)}:[${texts.join(",")}]${more === "" ? "" : `,${more}`}}`);
}

/** A filtered list is private to this client and stale soon (reference/mcp.md §2.4). */
function modernMembers({ ttlMs, resultType }: JsonObject): JsonObject {
  const ttl = typeof ttlMs === "number" && ttlMs >= 0 ? Math.min(ttlMs, MAX_TTL_MS) : 5_000;
  return { resultType: typeof resultType === "string" ? resultType : "complete", ttlMs: ttl, cacheScope: "private" };
}

function errorText({ id }: ScreenedRequest, text: string, code: JsonValue | undefined): Answer {
  return { json: `{"jsonrpc":"2.0","id":${id.json},"error":${text}}`, code: Number(code) };
}
