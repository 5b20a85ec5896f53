import { randomUUID } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import { array, assert, asyncProperty, constantFrom, nat, record } from "fast-check";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/call/json.ts";
import type { Decision } from "../../src/policy/decision.ts";
import type { Engine } from "../../src/policy/engine.ts";
import { loadEngine } from "../../src/policy/load.ts";
import type { CorridorOptions } from "../../src/server/core.ts";
import { declaredFacts } from "../../src/server/facts.ts";
import { SessionIdentityState } from "../../src/session/identity-state.ts";
import type { IdentityRules } from "../../src/session/identity-watch.ts";
import { createProfile, switchTo } from "../../src/session/profile-changes.ts";
import type { SharedEntry, SharedSessionStore, SharedSettlement } from "../../src/session/shared-store.ts";
import { haveRedis, startRedis } from "../delegate/redis-kit.ts";
import type { RedisServer } from "../delegate/redis-kit.ts";
import { memoryProfiles } from "../server/identity-kit.ts";
import { frontOf } from "../server/shared-kit.ts";
import { ALLOW, codeOf, counted, DONE, openCorridor, removeFolders } from "../server/support.ts";

const READS = ["whoami", "config_profile_status"] as const;
const CALLED = [...READS, "config_switch", "run_shell", "run_shell", "list_sessions"] as const;
function itemOf<Value>(list: readonly Value[], index: number): Value {
  const value = list[index];
  if (value === undefined) throw new Error("nothing is there");
  return value;
}

const LABELS = ["Erik", "Erika"] as const;

describe.skipIf(!haveRedis)("two fronts that share a session are never less strict than one front alone (issue 7)", () => {
  let engine: Engine;
  let server: RedisServer;
  beforeAll(async () => {
    engine = await loadEngine("identity-gate");
    server = await startRedis();
  });
  afterAll(async () => {
    engine.close();
    await server.stop();
  });
  afterEach(removeFolders);

  /** Fronts of one session, and what each call was judged with. */
  function fronts(count: 1 | 2, rules: IdentityRules) {
    const profiles = memoryProfiles();
    for (const label of LABELS) profiles.update(createProfile(label));
    const judged: unknown[] = [];
    const seen: Engine = {
      ...engine,
      has: (entrypoint) => engine.has(entrypoint),
      close: () => undefined,
      decide(input, entrypoint) {
        const { usage, session, command } = input as JsonObject;
        if (entrypoint === undefined) judged.push([command, session, { ...(usage as JsonObject), elapsed_seconds: 0 }]);
        return engine.decide(input, entrypoint);
      },
    };
    const name = randomUUID();
    const opened = Array.from({ length: count }, () => {
      const parts: Partial<CorridorOptions> = {
        engine: seen,
        factsOf: declaredFacts(engine),
        profiles: () => profiles.active(),
        identityRules: rules,
      };
      if (count === 1) return { ...openCorridor(parts), close: () => undefined };
      const { shared, sessions } = frontOf(server, name, rules);
      return { ...openCorridor({ ...parts, shared }), close: () => sessions.close() };
    });
    return {
      profiles,
      judged,
      corridor: (at: number) => itemOf(opened, at % count).corridor,
      async close() {
        await Promise.all(opened.map(({ corridor }) => corridor.close()));
        for (const { close } of opened) close();
      },
    };
  }

  /** One thing that happens: a call begins on a front, the oldest handler or the newest one ends, or somebody else switches the profile. */
  const happens = record({
    what: constantFrom("call", "call", "call", "oldest ends", "newest ends", "fails", "switched elsewhere"),
    front: nat({ max: 1 }),
    tool: constantFrom(...CALLED),
    label: constantFrom(...LABELS),
  });

  type Happens = typeof happens extends { generate: (...args: never[]) => { value: infer Value } } ? Value : never;

  /** Plays it, one thing after the other, and says what was answered and what policy saw. */
  async function play(count: 1 | 2, things: readonly Happens[], rules: IdentityRules): Promise<unknown[]> {
    const place = fronts(count, rules);
    const open: ((fails: boolean) => Promise<unknown>)[] = [];
    const told: unknown[] = [];
    for (const { what, front, tool, label } of things) {
      if (what === "call") await begin(place, { front, tool, label, open, told });
      else if (what === "switched elsewhere") place.profiles.update(switchTo(label));
      else await (what === "newest ends" ? open.pop() : open.shift())?.(what === "fails");
    }
    for (const end of open) await end(false);
    await place.close();
    return [told, place.judged];
  }

  interface Beginning {
    readonly front: number;
    readonly tool: string;
    readonly label: string;
    readonly open: ((fails: boolean) => Promise<unknown>)[];
    readonly told: unknown[];
  }

  /** Begins a call and waits until it was refused or its handler runs. */
  async function begin(place: ReturnType<typeof fronts>, { front, tool, label, open, told }: Beginning): Promise<void> {
    let answer: Promise<unknown> = Promise.resolve();
    const isRunning = new Promise<boolean>((resolve) => {
      const handler = (): Promise<typeof DONE> => {
        resolve(true);
        return new Promise((done, fail) => {
          open.push((fails) => {
            if (tool === "config_switch") place.profiles.update(switchTo(label));
            if (fails) fail(new Error("broken"));
            else done(structuredClone(DONE));
            return answer;
          });
        });
      };
      const calling = place.corridor(front).call(counted(tool, { command: "echo hi", label }, { handler }).request);
      answer = calling.then((given) => told.push([tool, codeOf(given)]));
      void answer.finally(() => resolve(false));
    });
    await isRunning;
  }

  it.each([
    ["by the seed", {}],
    ["bound to the profile", { bindProfile: true, requireProfile: true }],
    ["for two mutations", { maxMutations: 2 }],
  ] as const)("one thing after the other, each call gets what it would get from one front in memory: %s", async (_name, rules) => {
    await assert(
      asyncProperty(array(happens, { maxLength: 30 }), async (things) => {
        expect(await play(2, things, rules)).toEqual(await play(1, things, rules));
      }),
      { numRuns: 40 },
    );
  });

  /** Steps that wait until they are chosen; each is over before the next one is taken. */
  function createSteps(choices: readonly number[]) {
    const waiting: (() => Promise<void>)[] = [];
    return {
      wrap:
        <Args extends unknown[], Value>(step: (...args: Args) => Promise<Value>) =>
        (...args: Args): Promise<Value> =>
          new Promise((resolve, reject) => {
            waiting.push(() => step(...args).then(resolve, reject));
          }),
      async until(end: Promise<unknown>): Promise<void> {
        const over = { is: false };
        void end.finally(() => (over.is = true));
        for (let taken = 0; !over.is;) {
          await nextTurn();
          if (waiting.length === 0) continue;
          const [step] = waiting.splice((choices[taken % choices.length] ?? 0) % waiting.length, 1);
          taken += 1;
          await step?.();
        }
      },
    };
  }

  const choices = array(nat({ max: 20 }), { minLength: 1, maxLength: 60 });

  it("all at once, in every order of steps, nothing changes anything that one front in memory would refuse at that moment", async () => {
    const call = record({ front: nat({ max: 1 }), tool: constantFrom(...CALLED) });
    const totals = { mutations: 0, refused: 0, moved: 0 };
    await assert(
      asyncProperty(array(call, { minLength: 2, maxLength: 14 }), choices, async (calls, order) => {
        const steps = createSteps(order);
        const model = new SessionIdentityState();
        const begun = new Map<string, { epoch: number; quiet: boolean }>();
        const switching = new Set<string>();
        const stampToToken = new Map<object, string>();
        /** The store's steps, each of which is held against one state in memory. */
        const watched = (store: SharedSessionStore): SharedSessionStore => ({
          ...store,
          enter: steps.wrap(async (entry) => {
            const moment = await store.enter(entry);
            begun.set(entry.token, { epoch: model.epoch, quiet: switching.size === 0 });
            stampToToken.set(moment.stamp, entry.token);
            expect([moment.confirmed, moment.quiet]).toEqual([model.identityConfirmed, switching.size === 0]);
            return moment;
          }),
          settle: steps.wrap(async (settlement) => {
            const word = await store.settle(settlement);
            if (word === "moved") totals.moved += 1;
            if (word === "settled" && settlement.mutates) expect(model.identityConfirmed).toBe(true);
            if (word === "settled" && settlement.mutates) totals.mutations += 1;
            if (word === "settled" && settlement.rearms) {
              model.rearm();
              switching.add(settlement.token);
            }
            return word;
          }),
          confirm: steps.wrap(async (stamp, profile) => {
            const isRecorded = await store.confirm(stamp, profile);
            const at = begun.get(stampToToken.get(stamp) ?? "");
            expect(isRecorded).toBe(at?.epoch === model.epoch);
            if (isRecorded) expect(at?.quiet).toBe(true);
            if (isRecorded) model.recordIdentityRead();
            return isRecorded;
          }),
          release: steps.wrap(async (token, mark) => {
            await store.release(token, mark);
            switching.delete(token);
          }),
        });
        const name = randomUUID();
        const opened = [0, 1].map(() => {
          const { shared, sessions } = frontOf(server, name);
          const { corridor } = openCorridor({
            engine,
            factsOf: declaredFacts(engine),
            shared: { ...shared, store: watched(shared.store) },
          });
          return { corridor, sessions };
        });
        const handler = steps.wrap(() => Promise.resolve(structuredClone(DONE)));
        const answers = Promise.all(
          calls.map(async ({ front, tool }) => {
            const request = counted(tool, { command: "echo hi", label: "x" }, { handler }).request;
            return [tool, codeOf(await itemOf(opened, front).corridor.call(request))];
          }),
        );
        await steps.until(answers);
        for (const [tool, code] of await answers) {
          expect(tool === "run_shell" ? ["ok", "identity.unconfirmed"] : ["ok"]).toContain(code);
          if (code === "identity.unconfirmed") totals.refused += 1;
        }
        await steps.until(Promise.all(opened.map(({ corridor }) => corridor.close())));
        for (const { sessions } of opened) sessions.close();
      }),
      { numRuns: 150 },
    );
    expect(Object.values(totals).every((total) => total > 0)).toBe(true);
  });

  it("all at once, in every order of steps, a limit lets through what it says and no call more", async () => {
    const limits = record({
      counter: constantFrom("calls", "tool_calls", "calls_last_minute", "running"),
      most: nat({ max: 5 }),
      calls: nat({ max: 12 }),
    });
    await assert(
      asyncProperty(limits, choices, async ({ counter, most, calls }, order) => {
        const steps = createSteps(order);
        const decide = (input: JsonObject): Decision =>
          Number((input["usage"] as JsonObject)[counter]) < most ? ALLOW : { ...ALLOW, allow: false };
        const name = randomUUID();
        const opened = [0, 1].map(() => {
          const { shared, sessions } = frontOf(server, name);
          const { store } = shared;
          const enter = steps.wrap((entry: SharedEntry) => store.enter(entry));
          const settle = steps.wrap((end: SharedSettlement) => store.settle(end));
          const { corridor } = openCorridor({ decide, shared: { ...shared, store: { ...store, enter, settle } } });
          return { corridor, sessions };
        });
        let end: () => void = () => undefined;
        const ended = new Promise<void>((resolve) => (end = resolve));
        let runs = 0;
        const handler = async () => {
          runs += 1;
          await ended;
          return structuredClone(DONE);
        };
        const answers = Array.from({ length: calls }, (_each, index) =>
          itemOf(opened, index % 2).corridor.call(counted("work", {}, { handler }).request),
        );
        const refused = Math.max(0, calls - most);
        let [over, enough] = [0, (): void => undefined];
        const isDecided = new Promise<void>((resolve) => (enough = resolve));
        if (refused === 0) enough();
        for (const answer of answers) void answer.then(() => (over += 1) === refused && enough());
        await steps.until(isDecided);
        end();
        await steps.until(Promise.all(answers));
        expect(runs).toBe(Math.min(calls, most));
        await steps.until(Promise.all(opened.map(({ corridor }) => corridor.close())));
        for (const { sessions } of opened) sessions.close();
      }),
      { numRuns: 80 },
    );
  });
});
