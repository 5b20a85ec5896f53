import { hash } from "node:crypto";
import type { VoteRecord } from "../govern/approval-records.ts";
import { governError } from "../govern/govern-error.ts";
import { foldedOwner } from "../govern/names.ts";
import { SWAP } from "./approval-scripts.ts";
import { numberOf } from "./reply.ts";
import type { Send } from "./send.ts";
import type { StateKeys } from "./state-keys.ts";

/** Seconds for which a request is kept for the record after its time is over. */
export const KEPT_SECONDS = 86_400;

/** Names in Redis of what belongs to approvals. */
export interface ApprovalKeys {
  /** A request with its records, one a field. */
  request(id: string): string;
  /** Id of the open request of a digest. */
  open(digest: string): string;
  /** Ids of all requests, by the second until which they are kept. */
  readonly all: string;
  /** Counts changes, for those who watch. */
  readonly changes: string;
  /** Is there for as long as a front that uses approvals lives. */
  front(id: string): string;
}

/** The names under one prefix. */
export function approvalKeys({ approval }: Pick<StateKeys, "approval">): ApprovalKeys {
  return {
    request: (id) => approval(`request:${id}`),
    open: (digest) => approval(`open:${digest}`),
    all: approval("all"),
    changes: approval("changes"),
    front: (id) => approval(`front:${id}`),
  };
}

/** Field of one owner's vote. Owners are compared as `foldedOwner` has it, so that one human has one vote. */
export function voteField({ owner }: Pick<VoteRecord, "owner">): string {
  return `vote:${hash("sha256", foldedOwner(owner), "hex")}`;
}

/** The way to the approvals of one Redis. Whatever goes wrong on it is `govern.store_unreachable`. */
export interface ApprovalLink {
  readonly keys: ApprovalKeys;
  readonly send: Send;
}

/** Opens it over a connection. */
export function approvalLink(keys: ApprovalKeys, send: Send): ApprovalLink {
  return {
    keys,
    async send(args, options) {
      try {
        return await send(args, options);
      } catch (cause) {
        const message = cause instanceof Error ? cause.message : String(cause);
        throw governError("govern.store_unreachable", `the shared store of approvals cannot be used: ${message}`, cause);
      }
    },
  };
}

/** A record that is put in place of another one; an empty text means that there is none. */
export interface Swap {
  readonly id: string;
  readonly field: string;
  readonly from: string;
  readonly to: string;
}

/** Puts it there. `gone`: the request itself is no longer kept. */
export async function swap({ keys, send }: ApprovalLink, { id, field, from, to }: Swap): Promise<"done" | "other" | "gone"> {
  const reply = numberOf(await send(["EVAL", SWAP, "2", keys.request(id), keys.changes, field, from, to, String(KEPT_SECONDS)]));
  if (reply === 1) return "done";
  return reply === 0 ? "other" : "gone";
}
