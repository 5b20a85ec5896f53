import type { JsonObject } from "../call/json.ts";
import type { Decision } from "./decision.ts";

/** Entrypoints that a Regate bundle exports (design §2). */
export type Entrypoint = "gate/decision" | "gate/listing" | "gate/message" | "gate/result";

/** The policy port: the one way in which the rest of Regate asks a policy (design §2, Engine). */
export interface Engine {
  /** Digest that decisions record: `sha256:` and 64 lower-case hex digits over module and data. */
  readonly digest: string;
  /** Name of the bundle (of its manifest), such as `default`. */
  readonly name: string;
  /** The bundle's data document, deeply frozen. */
  readonly data: Readonly<JsonObject>;
  /**
   * Decides one input. Synchronous; never throws: whatever goes wrong is a denial with a `policy.*` code.
   * @param input policy input, a JSON object within the engine's bounds
   * @param entrypoint `gate/decision` unless given
   */
  decide(input: unknown, entrypoint?: Entrypoint): Decision;
  /** Whether the bundle exports an entrypoint; every bundle has `gate/decision`. */
  has(entrypoint: Entrypoint): boolean;
  /** Ends the engine's worker, if it has one; later decisions are denials. */
  close(): void;
}
