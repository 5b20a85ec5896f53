import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startGateway, type GatewayProcess } from "./gateway-kit.ts";

interface Recorded {
  readonly type: "input" | "output";
  readonly decision_id: string;
  readonly data: { readonly structuredContent?: { readonly n?: number }; readonly n?: number };
}

function recorded({ stateDir }: GatewayProcess): Recorded[] {
  const folder = join(stateDir, "state", "recordings");
  return readdirSync(folder).flatMap((name) => {
    const lines = readFileSync(join(folder, name), "utf8").split("\n");
    expect(lines.pop()).toBe("");
    return lines.map((line) => JSON.parse(line) as Recorded);
  });
}

/** Ids of admitted calls, and those of their outcomes. */
function logged(gateway: GatewayProcess): { readonly admitted: string[]; readonly ended: string[] } {
  const found = { admitted: [] as string[], ended: [] as string[] };
  for (const event of gateway.events()) {
    const { regate } = event["custom"] as { regate: { event: string; admitted?: boolean } };
    if (regate.event === "outcome") found.ended.push(String(event["decision_id"]));
    else if (regate.admitted === true && event["path"] === "gate/decision") found.admitted.push(String(event["decision_id"]));
  }
  return found;
}

const sorted = (ids: readonly string[]): string[] => ids.toSorted((a, b) => (a < b ? -1 : 1));

describe("however the gateway ends, right after an answer and with calls in flight", () => {
  it.each([
    ["end of stdin", 1, 0],
    ["end of stdin", 70, 30],
    ["SIGTERM", 1, 0],
    ["SIGTERM", 70, 30],
    ["SIGINT", 5, 5],
  ] as const)(
    "%s after %i answers, %i calls hang: each admitted call has one outcome, its input and its output on record",
    async (how, quick, hanging) => {
      const gateway = startGateway({ flags: ["--sandbox", "none"] });
      await gateway.hello();
      await gateway.ask({ id: "list", method: "tools/list" });
      const call = (id: number, name: string): string =>
        JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: { n: id } } });
      const lines = [
        ...Array.from({ length: hanging }, (_, at) => call(1_000 + at, "hang")),
        ...Array.from({ length: quick }, (_, at) => call(at, "echo")),
      ];
      gateway.send(lines.join("\n"));
      await gateway.until(({ id }) => id === quick - 1);
      if (how !== "end of stdin") process.kill(gateway.pid, how);
      expect((await gateway.finish()).code).toBe(0);
      const { admitted, ended } = logged(gateway);
      expect(admitted).toHaveLength(quick + hanging);
      expect(sorted(ended)).toEqual(sorted(admitted));
      const events = recorded(gateway);
      for (const type of ["input", "output"]) {
        expect(sorted(events.filter((event) => event.type === type).map(({ decision_id }) => decision_id))).toEqual(sorted(admitted));
      }
      const given = events.flatMap(({ type, data }) =>
        type === "output" && data.structuredContent !== undefined ? [data.structuredContent.n] : [],
      );
      expect(new Set(given)).toEqual(new Set(Array.from({ length: quick }, (_, at) => at)));
      const answers = gateway.lines().filter(({ id, method }) => typeof id === "number" && method === undefined);
      expect(new Set(answers.map(({ id }) => id)).size).toBe(answers.length);
    },
  );
});
