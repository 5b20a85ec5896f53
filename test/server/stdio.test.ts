import { PassThrough, Writable } from "node:stream";
import { describe, expect, test } from "vitest";
import type { CallAnswer } from "../../src/server/corridor-types.ts";
import { serveStdio, type StdioOptions } from "../../src/server/stdio.ts";
import { call, deferred, echoed, recordingCorridor, type Message, type RecordingCorridor } from "./edge-kit.ts";

interface Service {
  readonly stdin: PassThrough;
  readonly stdout: Writable;
  readonly done: Promise<void>;
  readonly logged: string[];
  readonly stop: AbortController;
  readonly corridor: RecordingCorridor;
  /** Bytes that were written, as text. */
  readonly output: () => string;
  readonly messages: () => Message[];
}

/** A stdout that keeps what it gets; `take` decides when a chunk counts as read. */
function sink(take: (done: () => void) => void = (done) => done()): { stdout: Writable; output: () => string } {
  const chunks: Buffer[] = [];
  const stdout = new Writable({
    highWaterMark: 16 * 1024,
    write: (chunk: Buffer, _, done) => {
      chunks.push(Buffer.from(chunk));
      take(done);
    },
  });
  return { stdout, output: () => Buffer.concat(chunks).toString("utf8") };
}

function serve(corridor = recordingCorridor(), options: Partial<StdioOptions> & { output?: () => string } = {}): Service {
  const stdin = new PassThrough();
  const kept = sink();
  const stdout = options.stdout ?? kept.stdout;
  const output = options.output ?? kept.output;
  const logged: string[] = [];
  const stop = new AbortController();
  const done = serveStdio({
    corridor,
    stdin,
    version: "1.2.3",
    stderrLine: (line) => void logged.push(line),
    stop: stop.signal,
    ...options,
    stdout,
  });
  const messages = (): Message[] =>
    output()
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Message);
  return { stdin, stdout, done, logged, stop, corridor, output, messages };
}

const line = (message: object): string => `${JSON.stringify(message)}\n`;
const ids = (messages: Message[]): unknown[] => messages.map(({ id }) => id);

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise(setImmediate);
}

describe("a session", () => {
  test("answers line by line and ends with stdin", async () => {
    const service = serve();
    service.stdin.write(line({ jsonrpc: "2.0", id: 1, method: "ping" }));
    await until(() => service.messages().length === 1);
    service.stdin.write(`${line(call(2, { a: 1 }))}\r\n\nnot json\n${line({ jsonrpc: "2.0", method: "ping" })}`);
    service.stdin.end();
    await service.done;
    expect(new Set(ids(service.messages()))).toEqual(new Set([1, 2, null]));
    expect(service.messages()).toHaveLength(3);
    expect(service.corridor.calls).toHaveLength(1);
    expect(service.corridor.closed).toBe(1);
  });

  test("answers that need no waiting come in the order of their lines", async () => {
    const service = serve();
    const lines = [
      { jsonrpc: "2.0", id: 1, method: "ping" },
      { jsonrpc: "2.0", id: 2, method: "tools/call" },
      { jsonrpc: "2.0", id: 3, method: "tools/list" },
      [],
      { jsonrpc: "2.0", id: 4, method: "no/such" },
      { jsonrpc: "2.0", id: 5, method: "tools/list", params: { _meta: { "io.modelcontextprotocol/protocolVersion": "1" } } },
      { jsonrpc: "2.0", id: 6, method: "server/discover" },
      { jsonrpc: "2.0", id: 7, method: "ping", extra: 1 },
    ];
    service.stdin.end(lines.map(line).join(""));
    await service.done;
    expect(ids(service.messages())).toEqual([1, 2, 3, null, 4, 5, 6, 7]);
  });

  test("nothing at all", async () => {
    const service = serve();
    service.stdin.end();
    await service.done;
    expect(service.output()).toBe("");
  });

  test("a last line without LF counts", async () => {
    const service = serve();
    service.stdin.end(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }));
    await service.done;
    expect(ids(service.messages())).toEqual([1]);
  });

  test("a last line that was cut is refused and reaches nothing", async () => {
    const service = serve();
    service.stdin.end(JSON.stringify(call(1)).slice(0, -1));
    await service.done;
    expect(service.messages()).toMatchObject([{ id: null, error: { code: -32700 } }]);
    expect(service.corridor.calls).toEqual([]);
  });

  test.each([5, 12, 200])("a line of %d MB: one refusal, and the session goes on", async (megabytes) => {
    const service = serve();
    const chunk = Buffer.alloc(1024 * 1024, 0x61);
    service.stdin.write('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"a":"');
    for (let i = 0; i < megabytes; i += 1)
      if (!service.stdin.write(chunk)) await new Promise((resolve) => service.stdin.once("drain", resolve));
    service.stdin.write(`"}}}\n${line({ jsonrpc: "2.0", id: 2, method: "ping" })}`);
    service.stdin.end();
    await service.done;
    expect(service.messages()).toMatchObject([{ id: null, error: { code: -32600 } }, { id: 2 }]);
    expect(service.corridor.calls).toEqual([]);
  });

  test("a line of 1 MB passes, and one just under 4 MiB", async () => {
    const service = serve(recordingCorridor(() => echoed({})));
    service.stdin.write(line(call(1, { a: "x".repeat(1_000_000) })));
    service.stdin.write(line(call(2, { a: "x".repeat(4 * 1024 * 1024 - 200) })));
    service.stdin.end();
    await service.done;
    expect(ids(service.messages())).toEqual([1, 2]);
  });

  test("a character cut by a chunk border, and separators in strings, come back byte for byte", async () => {
    const service = serve(
      recordingCorridor((request) => ({ kind: "result", result: { content: [], structuredContent: request.arguments } })),
    );
    const bytes = Buffer.from(line(call(1, { t: "a\u2028b\u0085c\u2029😀é" })));
    for (const byte of bytes) service.stdin.write(Buffer.from([byte]));
    service.stdin.end();
    await service.done;
    expect(service.output()).toContain('"t":"a\u2028b\u0085c\u2029😀é"');
    expect(service.output().split("\n")).toHaveLength(2);
  });
});

describe("the end of stdin", () => {
  test("calls in flight are answered, even slow ones", async () => {
    const { promise, resolve } = deferred<CallAnswer>();
    const service = serve(
      recordingCorridor(() => promise),
      { drainMs: 60_000 },
    );
    service.stdin.end(line(call(1)));
    await until(() => service.corridor.calls.length === 1);
    await new Promise((wait) => setTimeout(wait, 30));
    resolve(echoed({}));
    await service.done;
    expect(service.messages()).toMatchObject([{ id: 1, result: {} }]);
    expect(service.corridor.calls[0]?.signal?.aborted).toBe(false);
  });

  test("after the drain time they are aborted, and answered if they end", async () => {
    const service = serve(
      recordingCorridor(
        ({ signal }) => new Promise((resolve) => signal?.addEventListener("abort", () => resolve(echoed({ aborted: true })))),
      ),
      { drainMs: 20 },
    );
    service.stdin.end(line(call(1)));
    await service.done;
    expect(service.messages()).toMatchObject([{ id: 1, result: { structuredContent: { aborted: true } } }]);
  });

  test("a call that never ends holds nobody up", async () => {
    const service = serve(
      recordingCorridor(() => new Promise(() => {})),
      { drainMs: 20 },
    );
    service.stdin.end(line(call(1)));
    await service.done;
    expect(service.corridor.calls[0]?.signal?.aborted).toBe(true);
    expect(service.corridor.closed).toBe(1);
  });

  test("a corridor that cannot close is told on stderr", async () => {
    const corridor = recordingCorridor();
    corridor.close = () => Promise.reject(new Error("disk full"));
    const service = serve(corridor);
    service.stdin.end();
    await service.done;
    expect(service.logged).toEqual(["the decision log was not closed: disk full"]);
  });
});

describe("stop", () => {
  test("ends at once: running calls are aborted and nothing more is read", async () => {
    const service = serve(
      recordingCorridor(({ signal }) => new Promise((resolve) => signal?.addEventListener("abort", () => resolve(echoed({}))))),
      { drainMs: 60_000 },
    );
    service.stdin.write(line(call(1)));
    await until(() => service.corridor.calls.length === 1);
    service.stop.abort();
    service.stdin.write(line(call(2)));
    await service.done;
    expect(ids(service.messages())).toEqual([1]);
    expect(service.corridor.calls).toHaveLength(1);
  });

  test("before the start", async () => {
    const stop = AbortSignal.abort();
    const service = serve(recordingCorridor(), { stop });
    await service.done;
    expect(service.corridor.closed).toBe(1);
  });

  test("does not wait for a reader that takes nothing", async () => {
    const stuck = sink(() => {});
    const service = serve(recordingCorridor(), { stdout: stuck.stdout, output: stuck.output });
    service.stdin.write(line({ jsonrpc: "2.0", id: 1, method: "ping" }));
    await until(() => stuck.output() !== "");
    service.stop.abort();
    await service.done;
    expect(service.corridor.closed).toBe(1);
  });
});

describe("stdout", () => {
  test("a slow reader loses nothing", async () => {
    const slow = sink((done) => void setTimeout(done, 1));
    const text = "é".repeat(300_000);
    const service = serve(
      recordingCorridor(() => ({ kind: "result", result: { content: [{ type: "text", text }] } })),
      slow,
    );
    for (let id = 0; id < 20; id += 1) service.stdin.write(line(call(id)));
    service.stdin.end();
    await service.done;
    expect(ids(service.messages())).toEqual(Array.from({ length: 20 }, (_, id) => id));
    expect(service.messages().every(({ result }) => JSON.stringify(result).includes(text))).toBe(true);
  });

  test("nothing more is read while too much waits for the reader", async () => {
    let release = (): void => {};
    let open = false;
    const gate = sink((done) => {
      if (open) return done();
      release = done;
    });
    const text = "x".repeat(4 * 1024 * 1024);
    const service = serve(
      recordingCorridor(() => ({ kind: "result", result: { content: [{ type: "text", text }] } })),
      gate,
    );
    for (let id = 0; id < 12; id += 1) {
      service.stdin.write(line(call(id)));
      for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
    }
    const before = service.corridor.calls.length;
    expect(before).toBeGreaterThan(3);
    expect(before).toBeLessThan(8);
    open = true;
    release();
    service.stdin.end();
    await service.done;
    expect(ids(service.messages())).toEqual(Array.from({ length: 12 }, (_, id) => id));
  });

  test("a reader that goes away ends the session and its calls (EPIPE)", async () => {
    const broken = new Writable({ write: (_chunk, _encoding, done) => done(Object.assign(new Error("write EPIPE"), { code: "EPIPE" })) });
    const { promise, resolve } = deferred<CallAnswer>();
    const service = serve(
      recordingCorridor(({ signal }) => {
        signal?.addEventListener("abort", () => resolve(echoed({})));
        return promise;
      }),
      { stdout: broken, output: () => "", drainMs: 20 },
    );
    service.stdin.write(line(call(1)));
    service.stdin.write(line({ jsonrpc: "2.0", id: 2, method: "ping" }));
    await service.done;
    expect(service.corridor.calls[0]?.signal?.aborted).toBe(true);
    expect(service.corridor.closed).toBe(1);
  });

  test("a broken stdin ends the session", async () => {
    const service = serve();
    service.stdin.write(line({ jsonrpc: "2.0", id: 1, method: "ping" }));
    await until(() => service.messages().length === 1);
    service.stdin.destroy(new Error("read EIO"));
    await service.done;
    expect(ids(service.messages())).toEqual([1]);
  });
});
