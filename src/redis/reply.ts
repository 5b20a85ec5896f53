import { StoreError } from "./store-error.ts";

/** Text of a bulk or simple string; anything else is an answer that nobody expects. */
export function textOf(reply: unknown): string {
  if (reply instanceof Uint8Array) return Buffer.from(reply).toString("utf8");
  if (typeof reply === "string") return reply;
  throw unexpected();
}

/** A whole number of an answer. */
export function numberOf(reply: unknown): number {
  const number = typeof reply === "number" ? reply : Number(textOf(reply));
  if (!Number.isFinite(number)) throw unexpected();
  return number;
}

/** A list of an answer. */
export function listOf(reply: unknown): readonly unknown[] {
  if (!Array.isArray(reply)) throw unexpected();
  return reply as unknown[];
}

/** An answer that does not have the form of its command. */
export function unexpected(): StoreError {
  return new StoreError("store_unavailable", "the store gave an unexpected answer");
}
