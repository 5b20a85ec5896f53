import type { RefObject } from "preact";
import { useState } from "preact/hooks";
import { hasStatus, messageOf, send } from "./api.ts";
import { focusNext } from "./focus.ts";
import { plural } from "./format.ts";
import { load, say } from "./store.ts";
import type { Approval } from "./types.ts";

/** What a human has seen and selected of a group, and what can be done with it. */
export interface Choice {
  /** What is selected: everything, until something is taken out. */
  readonly chosen: readonly Approval[];
  /** What is selected and was not seen to its end. */
  readonly unseen: readonly Approval[];
  readonly isSeen: (approval: Approval) => boolean;
  readonly see: (approval: Approval) => void;
  readonly toggle: (approval: Approval) => void;
  readonly reason: string;
  readonly setReason: (text: string) => void;
  readonly problems: readonly string[];
  readonly isBusy: boolean;
  readonly act: (verb: "approve" | "deny") => Promise<void>;
}

async function decide(verb: "approve" | "deny", approvals: readonly Approval[], reason: string): Promise<readonly string[]> {
  const problems: string[] = [];
  // One after the other: each is a signature of its own over its own text.
  for (const { id, tool, shown } of approvals) {
    try {
      await send(`/v1/approvals/${id}/${verb}`, { reason, shown: shown.digest });
    } catch (error) {
      problems.push(approvals.length === 1 ? messageOf(error) : `${tool} (${id.slice(0, 8)}): ${messageOf(error)}`);
      if (hasStatus(error, 401)) break;
    }
  }
  return problems;
}

/** A set of names, as a piece of state. */
function useSet(): readonly [ReadonlySet<string>, (name: string, isIn: boolean) => void] {
  const [set, change] = useState<ReadonlySet<string>>(new Set());
  const put = (name: string, isIn: boolean): void =>
    change((before) => {
      const after = new Set(before);
      if (isIn) after.add(name);
      else after.delete(name);
      return after;
    });
  return [set, put];
}

/** Keeps what a human has seen and selected. What was seen is a text: another text under the same id was not. */
export function useChoice(approvals: readonly Approval[], card: RefObject<HTMLElement | null>): Choice {
  const [seen, setSeen] = useSet();
  const [left, setLeft] = useSet();
  const [reason, setReason] = useState("");
  const [problems, setProblems] = useState<readonly string[]>([]);
  const [isBusy, setBusy] = useState(false);
  const isSeen = ({ id, shown }: Approval): boolean => seen.has(id + shown.digest);
  const chosen = approvals.filter(({ id }) => !left.has(id));

  const act = async (verb: "approve" | "deny"): Promise<void> => {
    if (isBusy) return;
    if (verb === "deny" && reason.trim() === "") {
      setProblems(["Say why: a denial needs a reason."]);
      card.current?.querySelector("textarea")?.focus();
      return;
    }
    setBusy(true);
    const failed = await decide(verb, chosen, reason.trim());
    setProblems(failed);
    setBusy(false);
    const done = chosen.length - failed.length;
    if (done > 0) say(`${plural(done, "request")} ${verb === "approve" ? "approved" : "denied"}`);
    await load("approvals");
    // A card that is gone has handed its focus on; one that stays, with fewer calls, has not.
    if (failed.length === 0 && card.current !== null) focusNext();
  };
  return {
    chosen,
    unseen: chosen.filter((approval) => !isSeen(approval)),
    isSeen,
    see: ({ id, shown }) => setSeen(id + shown.digest, true),
    toggle: ({ id }) => setLeft(id, !left.has(id)),
    reason,
    setReason,
    problems,
    isBusy,
    act,
  };
}
