import { afterEach, beforeEach } from "vitest";

// stdout is the protocol channel: nothing under test may print.
const methods = ["log", "info", "warn", "error", "debug"] as const;
const originals = new Map(methods.map((name) => [name, console[name]]));

beforeEach(() => {
  for (const name of methods) {
    console[name] = (...words: unknown[]) => {
      throw new Error(`console.${name} called in a test: ${words.map(String).join(" ")}`);
    };
  }
});

afterEach(() => {
  for (const [name, original] of originals) console[name] = original as typeof console.log;
});
