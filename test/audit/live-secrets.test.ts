import { expect, it } from "vitest";
import { maskLiveSecrets, rememberSecret } from "../../src/audit/live-secrets.ts";

it("a secret that is lent again is not the oldest any more", () => {
  const secretOf = (number: number): string => `EXAMPLE-lent-Value-${String(number).padStart(4, "0")}`;
  for (let number = 0; number < 256; number += 1) rememberSecret(secretOf(number));
  rememberSecret(secretOf(0));
  rememberSecret(secretOf(256));
  expect([0, 1, 2, 256].map((number) => maskLiveSecrets(secretOf(number)))).toEqual([
    "[REDACTED]",
    secretOf(1),
    "[REDACTED]",
    "[REDACTED]",
  ]);
});
