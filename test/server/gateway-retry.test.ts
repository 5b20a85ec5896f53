import { describe, expect, it } from "vitest";
import type { GatewayEdge } from "../../src/server/gateway-types.ts";
import { retryChannel } from "../../src/server/gateway-retry.ts";
import type { Question } from "../../src/server/question.ts";

describe("states of questions that the gateway asks itself", () => {
  it("are known by name as long as they can be answered, and not for ever", () => {
    const edge = { states: new Set<string>() } as unknown as GatewayEdge;
    const { retry } = retryChannel(edge, {});
    for (let at = 0; at < 10_000; at += 1) retry.ask({ question: {} as Question, state: `state ${at}` });
    expect(edge.states.size).toBe(4_096);
    expect(retryChannel(edge, { requestState: "state 9999" }).isOurs).toBe(true);
    expect(retryChannel(edge, { requestState: "the upstream's" }).isOurs).toBe(false);
  });
});
