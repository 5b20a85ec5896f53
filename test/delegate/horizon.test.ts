import { describe, expect, it } from "vitest";
import { durableToolProofTtlSeconds, HORIZON_FIELDS, MAX_TTL_SECONDS } from "../../src/delegate/horizon.ts";

const GOOD = { turnCheckpointTtl: 100, executionLease: 20, claimMinIdle: 60, claimSweep: 30, maxDeliveries: 3, maxExec: 10, proofTtl: 301 };

const rows = [
  [{ ...GOOD, maxExec: 1 }, 274],
  [GOOD, 301],
  [{ ...GOOD, turnCheckpointTtl: 3600, executionLease: 120, maxExec: 60 }, 3721],
] as const;

describe("horizon", () => {
  it.each(rows)("[002-horizon] [002-horizon-outlives] %j needs at least %d", (config, smallest) => {
    expect(durableToolProofTtlSeconds({ ...config, proofTtl: smallest })).toBe(smallest);
    const bound = smallest - 1;
    for (const proofTtl of [bound, bound - 1]) {
      expect(() => durableToolProofTtlSeconds({ ...config, proofTtl })).toThrow(
        `proofTtl is ${proofTtl} and must be greater than ${bound}`,
      );
    }
  });

  it("names each bound that is violated", () => {
    expect(() => durableToolProofTtlSeconds({ ...GOOD, proofTtl: 7 })).toThrow(
      "proofTtl is 7 and must be greater than 120 (turnCheckpointTtl + executionLease) and than 300 (maxDeliveries * (claimMinIdle + claimSweep + maxExec))",
    );
  });

  const bad = [
    Number.NaN,
    Infinity,
    -1,
    0,
    1.5,
    true,
    "300",
    null,
    undefined,
    300n,
    Object(300),
    MAX_TTL_SECONDS + 1,
    Number.MAX_SAFE_INTEGER,
  ];

  it.each(HORIZON_FIELDS)("[002-horizon-invalid] `%s` has no default and takes whole numbers within bounds only", (name) => {
    const { [name]: _, ...without } = GOOD;
    for (const value of ["missing", ...bad]) {
      const config = value === "missing" ? without : { ...GOOD, [name]: value };
      expect(() => durableToolProofTtlSeconds(config)).toThrow(expect.objectContaining({ code: "horizon_invalid" }));
      expect(() => durableToolProofTtlSeconds(config)).toThrow(name);
    }
  });

  it("takes exactly these numbers, in an object", () => {
    for (const config of [undefined, null, 300, "x", { ...GOOD, prooftl: 1 }, Object.create(GOOD)]) {
      expect(() => durableToolProofTtlSeconds(config)).toThrow(expect.objectContaining({ code: "horizon_invalid" }));
    }
  });
});
