import { describe, expect, it } from "vitest";
import { bundleWith } from "./bundle-with.ts";
import { startRaw } from "./raw-server.ts";
import { codeIn, openWire, YES, type Era } from "./wire.ts";

const EDIT = { label: "Erika", description: "mother" };

/** What is declared of config.profile.edit, whether the client can ask a human, what becomes of the call, and the consequence that is shown. */
const ROUTES: readonly [tier: string, flags: object, canElicit: boolean, code: string, shown: string | undefined][] = [
  ["none", {}, true, "ok", undefined],
  ["none", {}, false, "ok", undefined],
  ["elicit, handoff", { handoff: true }, true, "ok", "It hands something over to others; that cannot be taken back."],
  ["elicit, handoff", { handoff: true }, false, "confirm.no_channel", undefined],
  ["elicit, destructive", { destructive: true }, true, "ok", "It changes or destroys data of the active profile."],
  ["elicit, destructive", { destructive: true }, false, "confirm.no_channel", undefined],
  ["block", { live_write: true }, true, "confirm.blocked", undefined],
  ["block", { live_write: true }, false, "confirm.blocked", undefined],
];

/** What a human may answer, and what becomes of the call. */
const ANSWERS: readonly [answer: unknown, code: string][] = [
  [YES, "ok"],
  [{ ...YES, content: { confirm: true, more: 1 } }, "ok"],
  [{ action: "accept", content: { confirm: false } }, "confirm.declined"],
  [{ action: "accept", content: { confirm: "true" } }, "confirm.malformed"],
  [{ action: "accept", content: { confirm: 1 } }, "confirm.malformed"],
  [{ action: "accept", content: {} }, "confirm.malformed"],
  [{ action: "accept", content: null }, "confirm.malformed"],
  [{ action: "accept" }, "confirm.malformed"],
  [{ action: "decline" }, "confirm.declined"],
  [{ action: "decline", content: { confirm: true } }, "confirm.declined"],
  [{ action: "cancel" }, "confirm.cancelled"],
  [{ action: "approve", content: { confirm: true } }, "confirm.malformed"],
  [{ content: { confirm: true } }, "confirm.malformed"],
  [{}, "confirm.malformed"],
];

/** Answers that no legacy message can have. */
const MODERN_ANSWERS: readonly [answer: unknown, code: string][] = [5, null, "yes", true, [YES]].map((answer) => [
  answer,
  "confirm.malformed",
]);

async function opened(era: Era, flags: object, canElicit = true) {
  const server = startRaw("--bundle", bundleWith({ "config.profile.edit": flags }));
  const wire = await openWire(server, era, canElicit);
  await wire.call("config_profile_create", { label: "Erika" });
  await wire.call("whoami");
  return wire;
}

const PATHS = [
  ["config_profile_edit", EDIT],
  ["execute", { command_key: "config.profile.edit", arguments: EDIT }],
] as const;

describe.each<Era>(["legacy", "modern"])("%s", (era) => {
  it.each(ROUTES)("tier %s %j, client can ask: %s: %s", async (_tier, flags, canElicit, code, shown) => {
    const wire = await opened(era, flags, canElicit);
    for (const [tool, args] of PATHS) {
      const { result, message } = await wire.settle(tool, args, YES);
      expect([tool, codeIn(result)]).toEqual([tool, code]);
      expect(message?.split("\n")).toEqual(
        shown === undefined
          ? undefined
          : [
              'Active profile: "Erika"',
              "",
              "The agent asks to run `config.profile.edit` (`config_profile_edit`).",
              shown,
              "Nothing has run yet. Confirm only if this is what you want.",
            ],
      );
    }
  });

  it("maps each answer to an outcome of its own, on both paths", async () => {
    const wire = await opened(era, { destructive: true });
    for (const [tool, args] of PATHS) {
      for (const [answer, code] of era === "modern" ? [...ANSWERS, ...MODERN_ANSWERS] : ANSWERS) {
        const { result } = await wire.settle(tool, args, answer);
        expect([tool, answer, codeIn(result)]).toEqual([tool, answer, code]);
      }
    }
  });

  it("refuses the mutation of an unconfirmed session without asking anybody", async () => {
    const server = startRaw("--bundle", bundleWith({ "config.profile.edit": { handoff: true } }));
    const wire = await openWire(server, era);
    for (const [tool, args] of PATHS) {
      const { result, message } = await wire.settle(tool, args, YES);
      expect([codeIn(result), message]).toEqual(["identity.unconfirmed", undefined]);
    }
  });
});
