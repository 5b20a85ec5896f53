import { describe, expect, it } from "vitest";
import { createProfile, editProfile, provision, renameProfile, switchTo, useSandbox } from "../../src/session/profile-changes.ts";
import type { ProfileChange } from "../../src/session/profile-changes.ts";
import { activeOf, MAX_PROFILES, NO_PROFILES, parseProfiles, writeProfiles } from "../../src/session/profile-document.ts";
import type { ProfileDocument } from "../../src/session/profile-document.ts";

const after = (...changes: readonly ProfileChange[]): ProfileDocument =>
  changes.reduce((document, change) => change(document), NO_PROFILES);
const labels = ({ profiles }: ProfileDocument) => profiles.map(({ label }) => label);
const active = (document: ProfileDocument) => activeOf(document)?.label ?? null;

function codeOf(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return (error as { code?: unknown }).code;
  }
  return "done";
}

const two = after(createProfile("Erik"), createProfile("Erika"));

describe("changes of profiles", () => {
  it("create activates, switch activates, and each counts", () => {
    expect([labels(two), active(two), two.switches]).toEqual([["Erik", "Erika"], "Erika", 2]);
    const back = switchTo("Erik")(two);
    expect([active(back), back.switches]).toEqual(["Erik", 3]);
    expect(switchTo("Erik")(back).switches).toBe(4);
  });

  it("a sandbox has its prefix however it is asked for, is made once, and is a profile like any other", () => {
    const sandboxed = useSandbox("play")(two);
    expect([labels(sandboxed), active(sandboxed)]).toEqual([["Erik", "Erika", "sandbox:play"], "sandbox:play"]);
    const again = useSandbox("sandbox:play")(switchTo("Erik")(sandboxed));
    expect([labels(again), active(again), again.switches]).toEqual([labels(sandboxed), "sandbox:play", 5]);
    expect(active(switchTo("sandbox:play")(switchTo("Erik")(again)))).toBe("sandbox:play");
    expect(active(useSandbox("Erik")(two))).toBe("sandbox:Erik");
  });

  it("rename and edit keep the active profile and are no switch", () => {
    const renamed = renameProfile("Erika", "Frau E")(two);
    expect([labels(renamed), active(renamed), renamed.active, renamed.switches]).toEqual([["Erik", "Frau E"], "Frau E", two.active, 2]);
    const edited = editProfile(undefined, "returns")(renamed);
    expect([edited.profiles[1]?.description, edited.active, edited.switches]).toEqual(["returns", two.active, 2]);
    expect(editProfile("Erik", undefined)(edited)).toEqual(edited);
    expect(labels(renameProfile("Erika", "ERIKA")(two))).toEqual(["Erik", "ERIKA"]);
    expect(labels(renameProfile("sandbox:a", "b")(after(useSandbox("a"))))).toEqual(["sandbox:b"]);
  });

  const refused: readonly (readonly [string, ProfileChange, string])[] = [
    ["switch to an unknown label", switchTo("nobody"), "profiles.unknown_label"],
    ["switch by another letter case", switchTo("erik"), "profiles.unknown_label"],
    [
      "switch by an internal id",
      (document: ProfileDocument) => switchTo(document.profiles[0]?.id ?? "")(document),
      "profiles.unknown_label",
    ],
    ["create what there is", createProfile("Erik"), "profiles.label_taken"],
    ["create what reads the same", createProfile("ERIK"), "profiles.label_taken"],
    ["create what reads the same in full width", createProfile("Ｅｒｉｋ"), "profiles.label_taken"],
    ["rename to what there is", renameProfile("Erik", "erika"), "profiles.label_taken"],
    ["rename an unknown label", renameProfile("nobody", "x"), "profiles.unknown_label"],
    ["rename to a sandbox", renameProfile("Erik", "sandbox:x"), "profiles.label_invalid"],
    ["create a sandbox", createProfile("sandbox:x"), "profiles.label_invalid"],
    ["enter a sandbox without a name", useSandbox(""), "profiles.label_invalid"],
    ["enter a sandbox whose name is the prefix", useSandbox("sandbox:"), "profiles.label_invalid"],
    ["enter a sandbox with a hidden name", useSandbox("a\u202eb"), "profiles.label_invalid"],
    ["edit an unknown label", editProfile("nobody", "x"), "profiles.unknown_label"],
    ["edit with a hidden character", editProfile("Erik", "a\u202eb"), "profiles.label_invalid"],
    ...[
      "",
      " ",
      " a",
      "a ",
      "a  b",
      "a\nb",
      "\u202eb",
      "a\u200bb",
      "\ud800",
      "\ue000",
      "a\u00a0b",
      "\u3164",
      "e\u0301",
      "x".repeat(65),
    ].map((label) => [`create ${JSON.stringify(label)}`, createProfile(label), "profiles.label_invalid"] as const),
  ];
  it.each(refused)("refuses: %s", (_name, change, code) => {
    expect(codeOf(() => change(two))).toBe(code);
  });

  it("edit without an active profile is refused", () => {
    expect(codeOf(() => editProfile(undefined, "x")(NO_PROFILES))).toBe("profiles.none_active");
  });

  it("takes labels of every script, 64 characters long", () => {
    for (const label of ["Müller GmbH", "株式会社", "🦊".repeat(64), "x".repeat(64), "__proto__", "constructor", "(x)"]) {
      const document = after(createProfile(label), switchTo(label));
      expect(parseProfiles(writeProfiles(document))).toEqual(document);
    }
  });

  it("holds so many and no more", () => {
    const full = after(provision(Array.from({ length: MAX_PROFILES }, (_, index) => ({ label: `p${index}`, environment: {} }))));
    expect(codeOf(() => createProfile("one more")(full))).toBe("profiles.too_many");
    expect(codeOf(() => useSandbox("one more")(full))).toBe("profiles.too_many");
  });

  it("takes over declared profiles: adds, updates, finds renamed ones again, activates and removes none", () => {
    const declared = [{ label: "Erika", environment: { KUBECONFIG: "/1" } }];
    const first = after(createProfile("Erik"), provision(declared));
    expect([labels(first), active(first), first.switches, first.profiles[1]?.environment]).toEqual([
      ["Erik", "Erika"],
      "Erik",
      1,
      { KUBECONFIG: "/1" },
    ]);
    const renamed = renameProfile("Erika", "Frau E")(first);
    const second = provision([{ label: "Erika", environment: { KUBECONFIG: "/2" } }])(renamed);
    expect([labels(second), second.profiles[1]?.environment]).toEqual([["Erik", "Frau E"], { KUBECONFIG: "/2" }]);
    expect(provision([])(second)).toEqual(second);
    expect(provision([{ label: "Erik", environment: { A: "1" } }])(second).profiles[0]).toMatchObject({
      id: first.profiles[0]?.id,
      environment: { A: "1" },
    });
  });
});
