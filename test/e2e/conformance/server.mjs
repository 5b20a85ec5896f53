// What the fixture of the conformance suite answers, message by message, in both protocol eras; names are the suite's.
import { createHmac, randomUUID } from "node:crypto";

const IMAGE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
const AUDIO = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=";
const META = "io.modelcontextprotocol/";
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const text = (value) => ({ type: "text", text: value });
const image = () => ({ type: "image", data: IMAGE, mimeType: "image/png" });
const resource = (uri, more) => ({ type: "resource", resource: { uri, ...more } });
const content = (...blocks) => ({ content: blocks });
const form = (message, properties, required = []) => ({ message, requestedSchema: { type: "object", properties, required } });
const titled = (prefix, names) => names.map((title, index) => ({ const: `${prefix}${index + 1}`, title }));
const fail = (code, message, data) => Object.assign(new Error(message), { code, data });

const secret = randomUUID();
const seal = (value) => {
  const data = JSON.stringify({ ...value, nonce: randomUUID() });
  return JSON.stringify({ data, mac: createHmac("sha256", secret).update(data).digest("hex") });
};
function unseal(state) {
  try {
    const { data, mac } = JSON.parse(state);
    if (mac === createHmac("sha256", secret).update(data).digest("hex")) return JSON.parse(data);
  } catch {
    // Refused below.
  }
  throw fail(-32602, "requestState is not ours");
}
const asks = (inputRequests, state) => ({
  resultType: "input_required",
  inputRequests,
  ...(state === undefined ? {} : { requestState: seal(state) }),
});
const elicits = (message, properties) => ({ method: "elicitation/create", params: form(message, properties, Object.keys(properties)) });
const samples = (prompt, maxTokens = 100) => ({
  method: "sampling/createMessage",
  params: { messages: [{ role: "user", content: text(prompt) }], maxTokens },
});
const ROOTS = { method: "roots/list", params: {} };
const isAnswer = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
const string = { type: "string" };

const ENUMS = {
  untitledSingle: { type: "string", enum: ["option1", "option2", "option3"] },
  titledSingle: { type: "string", oneOf: titled("value", ["First", "Second", "Third"]) },
  legacyEnum: { type: "string", enum: ["opt1", "opt2", "opt3"], enumNames: ["One", "Two", "Three"] },
  untitledMulti: { type: "array", minItems: 1, maxItems: 3, items: { type: "string", enum: ["option1", "option2", "option3"] } },
  titledMulti: { type: "array", minItems: 1, maxItems: 3, items: { anyOf: titled("value", ["First", "Second", "Third"]) } },
};
const DEFAULTS = {
  name: { type: "string", default: "John Doe" },
  age: { type: "integer", default: 30 },
  score: { type: "number", default: 95.5 },
  status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
  verified: { type: "boolean", default: true },
};
const elicitation =
  (params) =>
  async (_args, { ask }) => {
    const { action, content: given } = await ask("elicitation/create", params);
    return content(text(`${action}: ${JSON.stringify(given ?? {})}`));
  };

/** Tools of both eras: their arguments, and what they do. */
const TOOLS = {
  test_simple_text: () => content(text("This is a simple text response for testing.")),
  test_image_content: () => content(image()),
  test_audio_content: () => content({ type: "audio", data: AUDIO, mimeType: "audio/wav" }),
  test_embedded_resource: () => content(resource("test://embedded-resource", { mimeType: "text/plain", text: "embedded" })),
  test_multiple_content_types: () =>
    content(text("several"), image(), resource("test://mixed-content-resource", { mimeType: "application/json", text: "{}" })),
  test_tool_with_logging: async (_args, { notify, logs }) => {
    for (const data of ["started", "working", "done"]) {
      if (logs) notify("notifications/message", { level: "info", data });
      await sleep(50);
    }
    return content(text("logged"));
  },
  test_tool_with_progress: async (_args, { notify, meta }) => {
    for (const progress of [0, 50, 100]) {
      const { progressToken } = meta;
      if (progressToken !== undefined) notify("notifications/progress", { progressToken, progress, total: 100 });
      await sleep(50);
    }
    return content(text("progressed"));
  },
  test_error_handling: () => ({ ...content(text("This tool intentionally returns an error for testing")), isError: true }),
  test_sampling: async ({ prompt }, { ask }) => {
    const { content: answer } = await ask("sampling/createMessage", samples(prompt).params);
    return content(text(`LLM response: ${answer?.text}`));
  },
  test_elicitation: (args, context) =>
    elicitation(form(args.message, { username: string, email: string }, ["username", "email"]))(args, context),
  test_elicitation_sep1034_defaults: elicitation(form("Please review", DEFAULTS)),
  test_elicitation_sep1330_enums: elicitation(form("Please select", ENUMS)),
};

const MODERN_TOOLS = {
  test_missing_capability: (_args, { capabilities }) => {
    if (!capabilities.sampling) throw fail(-32021, "sampling is needed", { requiredCapabilities: { sampling: {} } });
    return content(text("there"));
  },
  test_streaming_elicitation: async (_args, { notify, meta }) => {
    if (meta.progressToken !== undefined) notify("notifications/progress", { progressToken: meta.progressToken, progress: 1, total: 2 });
    return content(text("streamed"));
  },
  test_logging_tool: (_args, { notify, logs }) => {
    if (logs) notify("notifications/message", { level: "info", data: "logged" });
    return content(text("evaluated"));
  },
  test_trigger_tool_change: (_args, { changed }) => (changed("tools"), content(text("changed"))),
  test_trigger_prompt_change: (_args, { changed }) => (changed("prompts"), content(text("changed"))),
  test_input_required_result_elicitation: (_args, { responses }) => {
    const { user_name: answer } = responses;
    if (answer === undefined) return asks({ user_name: elicits("What is your name?", { name: string }) });
    if (!isAnswer(answer)) throw fail(-32602, "user_name is no answer");
    return content(text(`Hello, ${answer.content?.name}!`));
  },
  test_input_required_result_sampling: (_args, { responses: { capital_question: answer } }) =>
    answer === undefined ? asks({ capital_question: samples("What is the capital of France?") }) : content(text(`${answer.content?.text}`)),
  test_input_required_result_list_roots: (_args, { responses: { client_roots: answer } }) =>
    answer === undefined ? asks({ client_roots: ROOTS }) : content(text(`${answer.roots?.length} roots`)),
  test_input_required_result_request_state: (_args, { responses: { confirm }, state }) => {
    if (state === undefined) return asks({ confirm: elicits("Please confirm", { ok: { type: "boolean" } }) }, { kind: "state" });
    unseal(state);
    return content(text(`state-ok: ${confirm?.content?.ok}`));
  },
  test_input_required_result_multiple_inputs: (_args, { responses, state }) => {
    if (state === undefined || !responses.user_name || !responses.greeting || !responses.client_roots) {
      const requests = { user_name: elicits("What is your name?", { name: string }), greeting: samples("Greet", 50), client_roots: ROOTS };
      return asks(requests, { kind: "multiple" });
    }
    unseal(state);
    return content(text("all there"));
  },
  test_input_required_result_multi_round: (_args, { responses, state }) => {
    const { round, name } = state === undefined ? { round: 0 } : unseal(state);
    if (round === 1 && responses.step1) {
      return asks(
        { step2: elicits("What is your favourite colour?", { color: string }) },
        { round: 2, name: responses.step1.content?.name },
      );
    }
    if (round === 2 && responses.step2) return content(text(`${name} likes ${responses.step2.content?.color}`));
    return asks({ step1: elicits("What is your name?", { name: string }) }, { round: 1 });
  },
  test_input_required_result_tampered_state: (_args, { state }) => {
    if (state === undefined) return asks({ confirm: elicits("Please confirm", { ok: { type: "boolean" } }) }, { kind: "tamper" });
    unseal(state);
    return content(text("integrity-ok"));
  },
  test_input_required_result_capabilities: (_args, { responses, capabilities }) => {
    if (Object.keys(responses).length > 0) return content(text("answered"));
    const requests = {
      ...(capabilities.elicitation ? { elicit_input: elicits("Elicitation input", { value: string }) } : {}),
      ...(capabilities.sampling ? { sample_input: samples("Sample request", 50) } : {}),
    };
    return Object.keys(requests).length === 0 ? content(text("nothing to ask")) : asks(requests);
  },
};

const ARGUMENTS = {
  test_sampling: { properties: { prompt: string }, required: ["prompt"] },
  test_elicitation: { properties: { message: string }, required: ["message"] },
};
const described = (names) =>
  names.map((name) => ({
    name,
    description: `${name} of the fixture`,
    inputSchema: { type: "object", properties: {}, ...ARGUMENTS[name] },
  }));

const PROMPTS = {
  test_simple_prompt: () => [text("This is a simple prompt for testing.")],
  test_prompt_with_arguments: ({ arg1, arg2 }) => [text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)],
  test_prompt_with_embedded_resource: ({ resourceUri }) => [
    resource(resourceUri, { mimeType: "text/plain", text: "Embedded resource content for testing." }),
    text("Please process the embedded resource above."),
  ],
  test_prompt_with_image: () => [image(), text("Please analyze the image above.")],
};
const PROMPT_ARGUMENTS = { test_prompt_with_arguments: ["arg1", "arg2"], test_prompt_with_embedded_resource: ["resourceUri"] };
const prompts = (names) =>
  names.map((name) => ({
    name,
    description: `${name} of the fixture`,
    arguments: (PROMPT_ARGUMENTS[name] ?? []).map((argument) => ({ name: argument, description: argument, required: true })),
  }));

const RESOURCES = {
  "test://static-text": { name: "static-text", mimeType: "text/plain", text: "This is the content of the static text resource." },
  "test://static-binary": { name: "static-binary", mimeType: "image/png", blob: IMAGE },
  "test://watched-resource": { name: "watched-resource", mimeType: "text/plain", text: "Watched resource content" },
};

function read({ uri }) {
  const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1];
  if (id !== undefined) return { contents: [{ uri, mimeType: "application/json", text: JSON.stringify({ id }) }] };
  const found = Object.hasOwn(RESOURCES, uri) ? RESOURCES[uri] : undefined;
  if (found === undefined) throw fail(-32602, "unknown resource", { uri });
  const { name: _name, ...rest } = found;
  return { contents: [{ uri, ...rest }] };
}

const MODERN_PROMPT = "test_input_required_result_prompt";
const named = (table, name) => (Object.hasOwn(table, name) ? table[name] : undefined);

/** What both eras answer alike. */
const METHODS = {
  "tools/list": (_params, { modern }) => ({ tools: described([...Object.keys(TOOLS), ...(modern ? Object.keys(MODERN_TOOLS) : [])]) }),
  "tools/call": async ({ name, arguments: args = {} }, context) => {
    const tool = named(TOOLS, name) ?? (context.modern ? named(MODERN_TOOLS, name) : undefined);
    if (tool === undefined) throw fail(-32602, `unknown tool ${name}`);
    return await tool(args, context);
  },
  "prompts/list": (_params, { modern }) => ({ prompts: prompts([...Object.keys(PROMPTS), ...(modern ? [MODERN_PROMPT] : [])]) }),
  "prompts/get": ({ name, arguments: args = {} }, { modern, responses }) => {
    if (modern && name === MODERN_PROMPT) {
      const { user_context: answer } = responses;
      if (answer === undefined) return asks({ user_context: elicits("What context should the prompt use?", { context: string }) });
      return { messages: [{ role: "user", content: text(`Prompt with context: ${answer.content?.context}`) }] };
    }
    const prompt = named(PROMPTS, name);
    if (prompt === undefined) throw fail(-32602, `unknown prompt ${name}`);
    return { messages: prompt(args).map((block) => ({ role: "user", content: block })) };
  },
  "resources/list": () => ({ resources: Object.entries(RESOURCES).map(([uri, { name, mimeType }]) => ({ uri, name, mimeType })) }),
  "resources/templates/list": () => ({
    resourceTemplates: [{ uriTemplate: "test://template/{id}/data", name: "template", mimeType: "application/json" }],
  }),
  "resources/read": read,
  "completion/complete": () => ({ completion: { values: ["one", "two"], total: 2, hasMore: false } }),
};

const LEGACY = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: {
      tools: { listChanged: true },
      prompts: { listChanged: true },
      resources: { subscribe: true },
      logging: {},
      completions: {},
    },
    serverInfo: { name: "conformance-fixture", version: "1.0.0" },
  }),
  ping: () => ({}),
  "logging/setLevel": () => ({}),
  "resources/subscribe": () => ({}),
  "resources/unsubscribe": () => ({}),
};

const CACHED = new Set(["server/discover", "tools/list", "prompts/list", "resources/list", "resources/templates/list", "resources/read"]);
const DISCOVERED = {
  supportedVersions: ["2026-07-28"],
  capabilities: { tools: { listChanged: true }, prompts: { listChanged: true }, resources: {}, completions: {} },
};
const listeners = new Set();

/** Tells every open listen stream that asked for it. */
function changed(kind) {
  for (const { wants, id, notify } of listeners) {
    if (wants[`${kind}ListChanged`] === true) notify(`notifications/${kind}/list_changed`, { _meta: { [`${META}subscriptionId`]: id } });
  }
}

/** A listen stream lasts until it is given up. */
async function listen(id, { notifications = {} }, { notify, signal }) {
  const wants = Object.fromEntries(Object.entries(notifications).filter(([key]) => /^(tools|prompts)ListChanged$/.test(key)));
  const listener = { wants, id, notify };
  notify("notifications/subscriptions/acknowledged", { _meta: { [`${META}subscriptionId`]: id }, notifications: wants });
  listeners.add(listener);
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
  listeners.delete(listener);
  return {};
}

/**
 * Answers one request.
 * @param way `notify(method, params)` and `ask(method, params)` on the way of this request; `signal` is aborted when it was given up
 * @returns the answer as a JSON-RPC message
 */
export async function answer({ id, method, params = {} }, way) {
  const meta = params._meta ?? {};
  const modern = meta[`${META}protocolVersion`] !== undefined;
  const context = {
    ...way,
    modern,
    meta,
    changed,
    capabilities: meta[`${META}clientCapabilities`] ?? {},
    logs: !modern || meta[`${META}logLevel`] !== undefined,
    responses: params.inputResponses ?? {},
    state: params.requestState,
  };
  try {
    const result = await run(id, { method, params }, context);
    const hints = CACHED.has(method) ? { ttlMs: 1_000, cacheScope: "public" } : {};
    const about = { _meta: { [`${META}serverInfo`]: { name: "conformance-fixture", version: "1.0.0" } } };
    return { jsonrpc: "2.0", id, result: modern ? { resultType: "complete", ...hints, ...about, ...result } : result };
  } catch (error) {
    const { code = -32603, message, data } = error;
    return { jsonrpc: "2.0", id, error: { code, message, ...(data === undefined ? {} : { data }) } };
  }
}

function run(id, { method, params }, context) {
  if (context.modern && method === "server/discover") return DISCOVERED;
  if (context.modern && method === "subscriptions/listen") return listen(id, params, context);
  const handler = named(METHODS, method) ?? (context.modern ? undefined : named(LEGACY, method));
  if (handler === undefined) throw fail(-32601, "method not found");
  return handler(params, context);
}
