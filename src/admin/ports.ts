import type { z } from "zod";
import type { JsonObject } from "../call/json.ts";
import type { Explanation } from "../govern/explanation.ts";
import type { SigningKey } from "../govern/key-pair.ts";
import type { approvalSchema } from "./schemas/approvals.ts";
import type { elevationsSchema, leaseSchema, recordingSchema, stopsSchema } from "./schemas/stores.ts";
import type { sessionSchema } from "./schemas/sessions.ts";

/** A human's key as a request brought it: name and owner, and the means to sign. */
export type Approver = SigningKey & { readonly owner: string };

/** A request for an approval as the API gives it. */
export type Approval = z.infer<typeof approvalSchema>;

/** A session of a running server. */
export type Session = z.infer<typeof sessionSchema>;

/** What a human decides about a request. */
export interface Decide {
  readonly id: string;
  readonly decision: "approve" | "deny";
  readonly reason: string;
  readonly key: Approver;
  /** Digest of the text that the human saw. */
  readonly shown: string;
}

/** Whom a stop is about. */
export type StopScope = { readonly all: true } | { readonly session: string } | { readonly agent: string };

/** A stop, or its end. */
export interface StopOrder {
  readonly action: "stop" | "resume";
  readonly scope: StopScope;
  readonly reason: string;
  readonly endRunning: boolean;
  readonly key: Approver;
}

/** The governed stores as the admin server uses them; every function may throw a GovernError, or reject with one. */
export interface AdminPorts {
  readonly approvals: {
    readonly list: () => Promise<readonly Approval[]>;
    readonly read: (id: string) => Promise<Approval | undefined>;
    readonly decide: (order: Decide) => Promise<Approval>;
    /** Calls back when something changed; the returned function ends it. */
    readonly watch: (onChange: () => void) => () => void;
  };
  readonly stops: { readonly list: () => z.infer<typeof stopsSchema>; readonly place: (order: StopOrder) => void };
  readonly elevations: () => z.infer<typeof elevationsSchema>;
  readonly leases: () => readonly z.infer<typeof leaseSchema>[];
  /** Says how the gate would answer a call; absent where it cannot. Throws an HttpError when it cannot just now. */
  readonly explain?: (call: { readonly tool: string; readonly arguments: JsonObject }) => Promise<Explanation>;
  readonly recordings: () => Promise<readonly z.infer<typeof recordingSchema>[]>;
}
