import { describe, expect, it, vi } from "vitest";
import { afterEach, beforeEach } from "vitest";
import { CONFIRM_TIMEOUT_MS, createConfirmer } from "../../src/server/confirm.ts";
import type { Confirm, ConfirmOutcome, ConfirmRequest } from "../../src/server/confirm.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function request(signal: AbortSignal = new AbortController().signal): ConfirmRequest {
  return { signal } as ConfirmRequest;
}

/** A human who answers when told to. */
function human() {
  const questions: { answer: (outcome: ConfirmOutcome) => void; signal: AbortSignal }[] = [];
  const confirm: Confirm = ({ signal }) =>
    new Promise((resolve) => {
      questions.push({ answer: resolve, signal });
    });
  return { questions, confirm };
}

describe("createConfirmer", () => {
  it.each(["accepted", "declined", "cancelled", "malformed", "no_channel", "no_answer"] as const)("hands on %s", async (outcome) => {
    expect(await createConfirmer(() => Promise.resolve(outcome))(request())).toBe(outcome);
  });

  it.each([["accept"], [true], [undefined], [{ action: "accept" }], ["__proto__"], ["toString"]])(
    "takes %j for malformed",
    async (outcome) => {
      expect(await createConfirmer(() => Promise.resolve(outcome as ConfirmOutcome))(request())).toBe("malformed");
    },
  );

  it("takes whatever is thrown for malformed", async () => {
    const rejecting: Confirm = () => Promise.reject(new Error("lost"));
    const throwing: Confirm = () => {
      throw new Error("lost");
    };
    expect(await createConfirmer(rejecting)(request())).toBe("malformed");
    expect(await createConfirmer(throwing)(request())).toBe("malformed");
  });

  it("waits two minutes and no longer, then refuses at once until the human answers something [M16]", async () => {
    const { questions, confirm } = human();
    const ask = createConfirmer(confirm);
    const first = ask(request());
    await vi.advanceTimersByTimeAsync(CONFIRM_TIMEOUT_MS - 1);
    expect(questions[0]?.signal.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(await first).toBe("no_answer");

    expect(await ask(request())).toBe("no_answer");
    expect(questions).toHaveLength(1);

    questions[0]?.answer("declined");
    await vi.advanceTimersByTimeAsync(0);
    const third = ask(request());
    questions[1]?.answer("accepted");
    expect(await third).toBe("accepted");
  });

  it.each(["malformed", "no_channel"] as const)("takes a client's late %s for no sign of a human", async (outcome) => {
    const { questions, confirm } = human();
    const ask = createConfirmer(confirm, 10);
    const first = ask(request());
    await vi.advanceTimersByTimeAsync(10);
    expect(await first).toBe("no_answer");
    questions[0]?.answer(outcome);
    await vi.advanceTimersByTimeAsync(0);
    expect(await ask(request())).toBe("no_answer");
    expect(questions).toHaveLength(1);
  });

  it("lets a late answer decide nothing but that the human is there again", async () => {
    const { questions, confirm } = human();
    const ask = createConfirmer(confirm, 10);
    const first = ask(request());
    await vi.advanceTimersByTimeAsync(10);
    questions[0]?.answer("accepted");
    expect(await first).toBe("no_answer");
  });

  it("is not silenced by a question that was withdrawn", async () => {
    const { questions, confirm } = human();
    const ask = createConfirmer(confirm);
    const controller = new AbortController();
    const first = ask(request(controller.signal));
    controller.abort();
    expect(await first).toBe("no_answer");
    const second = ask(request());
    questions[1]?.answer("accepted");
    expect(await second).toBe("accepted");
  });

  it("leaves no timer behind", async () => {
    await createConfirmer(() => Promise.resolve("accepted"))(request());
    expect(vi.getTimerCount()).toBe(0);
  });
});
