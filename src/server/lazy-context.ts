import type { OwnWithdrawal, Withdrawal } from "../call/withdrawal.ts";
import type { ToolContext } from "../tools/tool.ts";

/** What a handler gets. Its AbortSignal is made when a handler asks for it: a call that is handed on to a server never does. */
export class LazyContext implements ToolContext {
  readonly call: ToolContext["call"];
  readonly decision: ToolContext["decision"];
  readonly session: ToolContext["session"];
  readonly leases: NonNullable<ToolContext["leases"]>;
  readonly link: ToolContext["link"];
  readonly beforeSpawn: () => void;
  readonly ending: Withdrawal;
  readonly #signal: () => AbortSignal;

  constructor(parts: Required<Omit<ToolContext, "signal" | "ending">>, stop: Pick<OwnWithdrawal, "withdrawal" | "signal">) {
    this.call = parts.call;
    this.decision = parts.decision;
    this.session = parts.session;
    this.leases = parts.leases;
    this.link = parts.link;
    this.beforeSpawn = parts.beforeSpawn;
    this.ending = stop.withdrawal;
    this.#signal = stop.signal;
  }

  get signal(): AbortSignal {
    return this.#signal();
  }
}
