import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { DelegateError } from "../../src/delegate/delegate-error.ts";
import { durableToolParentFingerprint, sameHex } from "../../src/delegate/fingerprint.ts";
import type { FingerprintParts } from "../../src/delegate/fingerprint.ts";

const PARTS: FingerprintParts = {
  operation_id: "op-1",
  trace_id: "trace-1",
  tool_name: "run_shell",
  tool_args: { command: "ls", user_id: "plain", trace_id: "plain" },
  identity: { user_id: "1234567890123456789", platform: "discord", user_aliases: ["b", "a"] },
  context: { path: "direct", workdir: "/srv" },
};

const of = (change: object = {}): string => durableToolParentFingerprint({ ...PARTS, ...change });

describe("fingerprint", () => {
  it("is SHA-256 over canonical JSON with a domain and a version", () => {
    const text =
      '{"context":{"path":"direct","workdir":"/srv"},"domain":"regate.durable-tool-parent",' +
      '"identity":{"platform":"discord","user_aliases":["a","b"],"user_id":"1234567890123456789"},"operation_id":"op-1",' +
      '"tool_args":{"command":"ls","trace_id":"plain","user_id":"plain"},"tool_name":"run_shell","trace_id":"trace-1","v":1}';
    expect(of()).toBe(createHash("sha256").update(text).digest("hex"));
    expect(of()).toBe("58fc7ff7a6d6832e298713c29eada54092b92ba3f1ed200269210db1782d875c");
  });

  it("[002-fingerprint] changes with each of the six inputs", () => {
    const changes = [
      { operation_id: "op-2" },
      { trace_id: "trace-2" },
      { tool_name: "eval_starlark" },
      { tool_args: { command: "ls " } },
      { identity: { ...PARTS.identity, platform: "matrix" } },
      { identity: { ...PARTS.identity, user_aliases: ["a"] } },
      { context: {} },
    ];
    expect(new Set([of(), ...changes.map(of)]).size).toBe(changes.length + 1);
  });

  it("[002-fingerprint-transport] does not change with key order, transport fields or the catalogue's generation", () => {
    const reordered = { tool_args: { trace_id: "plain", user_id: "plain", command: "ls" }, context: { workdir: "/srv", path: "direct" } };
    const transport = { correlation_id: "c", reply_to: "sg:tools:reply:x", schema_hash: "h", generation: 7, attempt: 2 };
    const aliases = { identity: { ...PARTS.identity, user_aliases: ["a", "b", "a"], guild_id: null, channel_id: undefined } };
    for (const change of [reordered, transport, aliases]) expect(of(change)).toBe(of());
  });

  it.each(["correlation_id", "reply_to", "schema_hash", "generation", "attempt", "ts", "stream_id"])(
    "refuses `%s` in the context at every depth",
    (field) => {
      for (const context of [{ [field]: 1 }, { workdir: { a: [{ [field]: 1 }] } }]) {
        expect(() => of({ context })).toThrow(expect.objectContaining({ code: "not_canonical" }));
      }
    },
  );

  it("demands all six, of their types", () => {
    const bad = [
      { operation_id: "" },
      { trace_id: 1 },
      { tool_name: undefined },
      { tool_args: [] },
      { tool_args: null },
      { context: undefined },
      { context: { other: 1 } },
      { identity: { user_id: "1" } },
    ];
    for (const change of bad) expect(() => of(change)).toThrow(DelegateError);
  });

  it("is compared without an exception, whatever comes", () => {
    expect(sameHex(of(), of())).toBe(true);
    for (const other of [of({ operation_id: "x" }), of().toUpperCase(), of().slice(1), "", undefined, 7, `${of()}\n`]) {
      expect(sameHex(of(), other)).toBe(false);
    }
  });
});
