import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { growthOf } from "../../scripts/soak-growth.mjs";

const MB = 1024 * 1024;

interface Told {
  readonly answered: number;
  readonly rows: readonly { readonly calls: number }[];
  readonly problems: readonly string[];
}

const row = (point: number, heap: number, rss: number) => ({ calls: point * 100_000, heap, external: 0, rss });

describe("the soak of the gateway", () => {
  it(
    "[gateway:pumping] no answer is lost, crossed or given twice, and what is held does not grow with the calls",
    { timeout: 300_000 },
    async () => {
      const { stdout } = await promisify(execFile)(process.execPath, ["scripts/gateway-soak.mjs", "3000", "--json"]);
      const told = JSON.parse(stdout) as Told;
      expect(told).toMatchObject({ answered: 3_000, problems: [] });
      expect(told.rows.map(({ calls }) => calls)).toEqual(Array.from({ length: 10 }, (_, at) => (at + 1) * 300));
    },
  );

  it("tells growth from warming up and from up and down", () => {
    const points = Array.from({ length: 10 }, (_, at) => at + 1);
    const flat = points.map((point) => row(point, (point < 3 ? 10 : 18) * MB, (110 + (point % 3) * 15) * MB));
    expect(growthOf(flat).problems).toEqual([]);
    const leak = points.map((point) => row(point, 18 * MB + point * 100_000 * 16, 120 * MB));
    expect(growthOf(leak).problems).toEqual(["heap grows by 16.0 bytes a call, 10.7 MB in 700000 calls"]);
    const pages = points.map((point) => row(point, 18 * MB, 100 * MB + point * 12 * MB));
    expect(growthOf(pages).problems).toEqual([expect.stringContaining("rss grows by 125.8 bytes a call")]);
    expect(growthOf(flat.slice(0, 3)).problems).toHaveLength(1);
  });
});
