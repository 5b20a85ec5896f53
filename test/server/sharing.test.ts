import { expect, it } from "vitest";
import type { SharedSessions, SharedTerms } from "../../src/session/shared-store.ts";
import { httpSharers, sharedStateOf, stdioSharers, type Sharers } from "../../src/server/sharing.ts";
import type { Principal } from "../../src/server/http-port.ts";

const ADA: Principal = { issuer: "https://issuer.example", subject: "ada", clientId: "desk", groups: [] };

/** Names under which states would be kept. */
function idsOf(...all: readonly Sharers[]): readonly string[] {
  const ids: string[] = [];
  const sessions: SharedSessions = {
    session(id) {
      ids.push(id);
      return {} as ReturnType<SharedSessions["session"]>;
    },
    close: () => undefined,
  };
  for (const sharers of all) sharedStateOf({ sessions, lifetimeMs: 1_000 }, sharers);
  return ids;
}

it("stateless requests of one principal share, whatever its groups; another issuer, subject or client does not", () => {
  const of = (change: Partial<Principal>, era: "modern" | "legacy" = "modern") =>
    httpSharers("serve", { principal: { ...ADA, ...change }, era });
  const [ada, same, ...others] = idsOf(
    of({}),
    of({ groups: ["staff"] }),
    of({ issuer: "https://issuer.example/" }),
    of({ subject: "Ada" }),
    of({ clientId: null }),
    of({ clientId: "desk2" }),
    httpSharers("proxy", { principal: ADA, era: "modern" }),
    httpSharers("serve", { principal: undefined, era: "modern" }),
    of({}, "legacy"),
    of({}, "legacy"),
  );
  expect(same).toBe(ada);
  expect(new Set([ada, ...others]).size).toBe(9);
});

it("where nobody is asked who they are, everybody at this user's fronts on this machine is one", () => {
  const [one, other] = [1, 2].map(() => httpSharers("serve", { principal: undefined, era: "modern" }));
  expect(one).toEqual(other);
  expect(one).toHaveLength(4);
});

it("a server over stdio shares by its name, else with nobody; words cannot be moved from one place to another", () => {
  expect(stdioSharers("serve", { name: "a" })).toEqual(stdioSharers("serve", { name: "a" }));
  const ids = idsOf(
    stdioSharers("serve", { name: "a" }),
    stdioSharers("serve", { name: "b" }),
    stdioSharers("proxy", { name: "a" }),
    stdioSharers("serve"),
    stdioSharers("serve"),
    ["serve", 'name","a'],
    ["serve", "name,a"],
  );
  expect(new Set(ids).size).toBe(7);
  for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9_-]{43}$/);
});

it("without sharing there is no state; with it the rules and the lifetime go along, and counters live for an hour at least", () => {
  expect(sharedStateOf(undefined, ["x"])).toBe(undefined);
  const given: SharedTerms[] = [];
  const sessions = {
    session: (_id: string, terms: SharedTerms) => (given.push(terms), {}),
    close: () => undefined,
  } as unknown as SharedSessions;
  const state = sharedStateOf({ sessions, lifetimeMs: 1_000 }, ["x"], { maxMutations: 2 });
  expect(given).toEqual([{ lifetimeMs: 1_000, rules: { maxMutations: 2 } }]);
  expect([state?.renewMs, state?.openMs]).toEqual([10_000, 1_200_000]);
});
