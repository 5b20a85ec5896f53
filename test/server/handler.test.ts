import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { CallToolResult } from "../../src/server/corridor-types.ts";
import { createEndings } from "../../src/server/endings.ts";
import { RESULT_CAP_BYTES, runHandler } from "../../src/server/handler.ts";
import type { HandlerRun } from "../../src/server/handler.ts";
import { ToolError } from "../../src/tools/tool-error.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const CYCLE: CallToolResult & { self?: unknown } = { content: [] };
CYCLE.self = CYCLE;

const OK: CallToolResult = { content: [{ type: "text", text: "done" }] };

function run(start: HandlerRun["start"], parts: Partial<HandlerRun> = {}) {
  const reports: unknown[] = [];
  let settled = 0;
  const end = runHandler({
    decisionId: "d1",
    start,
    onSettled: () => (settled += 1),
    report: (problem) => reports.push(problem),
    ...parts,
  });
  return { end, reports, settled: () => settled };
}

function refusal(code: string, text: string, retryable: boolean): CallToolResult {
  return { content: [{ type: "text", text }], isError: true, _meta: { "regate/decision": { decision_id: "d1", code, retryable } } };
}

describe("runHandler", () => {
  it("gives back what the handler gave", async () => {
    const { end, settled } = run(() => Promise.resolve(OK));
    expect(await end).toEqual({ status: "ok", result: OK });
    expect(settled()).toBe(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("leaves an error result of the tool as it is", async () => {
    const result = { ...OK, isError: true };
    expect(await run(() => Promise.resolve(result)).end).toEqual({ status: "error", result });
  });

  it("answers an unexpected error with a fixed text, and reports it", async () => {
    const error = new Error("/srv/secret at line 3");
    const { end, reports } = run(() => Promise.reject(error));
    expect(await end).toEqual({ status: "error", code: "call.failed", result: refusal("call.failed", "call: the tool failed", false) });
    expect(reports).toEqual([error]);
  });

  it("answers an error that is meant for the agent with its own text", async () => {
    const { end, reports } = run(() => Promise.reject(new ToolError("no such profile")));
    expect(await end).toEqual({ status: "error", code: "call.failed", result: refusal("call.failed", "no such profile", false) });
    expect(reports).toEqual([]);
  });

  it.each([
    ["nothing", undefined],
    ["a string", "done"],
    ["no content", {}],
    ["content that is no list", { content: "x" }],
    ["a block without a type", { content: [{ text: "x" }] }],
    ["a block that is null", { content: [null] }],
    ["a cycle", CYCLE],
    ["a bigint", { content: [{ type: "text", text: 1n }] }],
  ])("fails when the handler gives %s", async (_, result) => {
    expect(await run(() => Promise.resolve(result as CallToolResult)).end).toMatchObject({ status: "error", code: "call.failed" });
  });

  it("stops at the time limit, tells the handler and answers at once", async () => {
    let told = false;
    const { end, settled } = run(
      ({ signal }) =>
        new Promise((resolve) => {
          signal().addEventListener("abort", () => {
            told = true;
            setTimeout(() => resolve(OK), 5_000);
          });
        }),
      { timeoutMs: 1_000 },
    );
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await end).toEqual({
      status: "timeout",
      code: "call.timeout",
      result: refusal("call.timeout", "call: the tool did not finish in time", true),
    });
    expect(told).toBe(true);
    expect(settled()).toBe(0);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(settled()).toBe(1);
  });

  it("ends even when whoever is told throws", async () => {
    const thrown = new Error("full disk");
    const report = (): never => {
      throw thrown;
    };
    await expect(run(() => Promise.reject(new Error("boom")), { report }).end).rejects.toBe(thrown);
  });

  it.each(["signal", "endings"] as const)("stops when it is aborted by its %s", async (way) => {
    const controller = new AbortController();
    const { signal } = controller;
    const { end } = run(() => new Promise(() => undefined), way === "signal" ? { signal } : { endings: createEndings(signal, undefined) });
    controller.abort();
    expect(await end).toEqual({
      status: "cancelled",
      code: "call.cancelled",
      result: refusal("call.cancelled", "call: cancelled by the client", true),
    });
  });

  it("does not start what was cancelled before", async () => {
    let started = false;
    const { end, settled } = run(
      () => {
        started = true;
        return Promise.resolve(OK);
      },
      { signal: AbortSignal.abort() },
    );
    expect(await end).toMatchObject({ status: "cancelled" });
    expect(started).toBe(false);
    expect(settled()).toBe(1);
  });

  it("refuses a result above the cap, without any of it [M06]", async () => {
    const text = (length: number): CallToolResult => ({
      content: [{ type: "text", text: "x".repeat(length) }],
      structuredContent: { a: 1 },
    });
    expect(await run(() => Promise.resolve(text(RESULT_CAP_BYTES - 100))).end).toMatchObject({ status: "ok" });
    expect(await run(() => Promise.resolve(text(RESULT_CAP_BYTES))).end).toEqual({
      status: "error",
      code: "call.result_too_large",
      result: refusal("call.result_too_large", "call: the tool's result is too large", false),
    });
  });
});
