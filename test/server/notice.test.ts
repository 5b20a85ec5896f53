import { describe, expect, it } from "vitest";
import { noticeThrough, passesNotice, supportsUrl } from "../../src/server/notice.ts";
import type { NoticeChannel } from "../../src/server/notice.ts";

const NOTICE = { id: "n-1", url: "https://id.example/go?code=A", message: "open it" };
const never = new AbortController().signal;

function opened(more: Partial<NoticeChannel> = {}) {
  const asked: unknown[] = [];
  const sent: unknown[] = [];
  const channel: NoticeChannel = {
    elicit: (params) => {
      asked.push(params);
      return Promise.resolve({ action: "accept" });
    },
    canOpenUrl: () => true,
    canLog: () => true,
    send: (message) => sent.push(message),
    ...more,
  };
  return { show: noticeThrough(channel), asked, sent };
}

describe("a notice", () => {
  it("opens the address where the client can, and sends no log message then", async () => {
    const { show, asked, sent } = opened();
    expect(await show(NOTICE, never)).toBe(true);
    expect(asked).toEqual([{ mode: "url", elicitationId: "n-1", url: NOTICE.url, message: "open it" }]);
    expect(sent).toEqual([]);
  });

  it.each([["decline"], ["cancel"]] as const)("is declined with %s, and not by a client that fails", async (action) => {
    expect(await opened({ elicit: () => Promise.resolve({ action }) }).show(NOTICE, never)).toBe(false);
    expect(await opened({ elicit: () => Promise.reject(new Error("no")) }).show(NOTICE, never)).toBe(true);
  });

  it("is a log message where the client cannot, and goes elsewhere too; nothing where notices are not wanted", () => {
    const { show, sent } = opened({ canOpenUrl: () => false });
    expect(show(NOTICE, never)).toBeUndefined();
    expect(sent).toEqual([
      { jsonrpc: "2.0", method: "notifications/message", params: { level: "notice", logger: "regate", data: "open it" } },
    ]);
    const silent = opened({ canOpenUrl: () => false, canLog: () => false });
    expect([silent.show(NOTICE, never), silent.sent]).toEqual([undefined, []]);
  });
});

it("a client opens addresses only when it says so by name", () => {
  expect([{ elicitation: { url: {} } }, { elicitation: { url: {}, form: {} } }].map(supportsUrl)).toEqual([true, true]);
  expect([undefined, {}, { elicitation: {} }, { elicitation: { form: {} } }, { elicitation: { url: true } }, []].map(supportsUrl)).toEqual(
    Array.from({ length: 6 }, () => false),
  );
});

it("levels up to `notice` let a notice pass", () => {
  expect(["debug", "info", "notice", "warning", "emergency", "loud", 1, undefined].map(passesNotice)).toEqual([
    true,
    true,
    true,
    false,
    false,
    undefined,
    undefined,
    undefined,
  ]);
});
