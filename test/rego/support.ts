import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, onTestFinished } from "vitest";
import type { Outcome, Problem } from "../../src/rego/protocol.ts";
import { openToolchain } from "../../src/rego/toolchain.ts";
import type { Toolchain } from "../../src/rego/toolchain.ts";

/** The toolchain is ten times slower than native OPA and the machine may be busy: limits are there for hangs only. */
export const SLOW = { timeout: 180_000 };

/** One toolchain for a test file; closed at its end. */
export function sharedToolchain(): Toolchain {
  const toolchain = openToolchain({ limitMs: 600_000 });
  afterAll(() => toolchain.close());
  return toolchain;
}

/** A folder with the given files, removed after the test. */
export function tree(files: Readonly<Record<string, string | Uint8Array>>): string {
  const folder = mkdtempSync(join(tmpdir(), "regate-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  return folder;
}

/** The value of an outcome that must be a success. */
export function valueOf<T>(outcome: Outcome<T>): T {
  if (!outcome.ok) throw new Error(outcome.text);
  return outcome.value;
}

/** The errors of an outcome that must be a failure. */
export function errorsOf(outcome: Outcome<unknown>): readonly Problem[] {
  if (outcome.ok) throw new Error("expected a failure");
  return outcome.errors;
}

/** Collects what a command writes. */
export function capture() {
  const written = { out: "", err: "" };
  return {
    written,
    io: {
      write: (text: string) => {
        written.out += text;
      },
      writeError: (text: string) => {
        written.err += text;
      },
    },
  };
}

const REASON = `# METADATA
# title: Reasons
# description: Makes a reason.
package lib.reasons

# METADATA
# title: Reason
# description: A reason with a code.
of(code) := {"code": code, "rule": "small", "message": "refused"}
`;

const MAIN = `# METADATA
# title: Gate
# description: Composes the rules.
package gate

# METADATA
# title: Decision
# description: Allowed when a rule allows and none denies.
# scope: document
# entrypoint: true
default decision := {"allow": false}

decision := {"allow": true} if {
	data.gate.rules[_].allow
	count([reason | some reason in data.gate.rules[_].deny]) == 0
}

# METADATA
# title: Listing
# description: As the decision.
# scope: document
listing := decision
`;

const SMALL = `# METADATA
# title: Small
# description: A small rule.
# custom:
#   seed: "000"
package gate.rules.small

import data.lib.reasons

# METADATA
# title: Allowed calls
# description: Tools of the data.
# scope: document
allow if input.command in data.regate.tools

# METADATA
# title: Refused calls
# description: Calls without an agent.
# scope: document
deny contains reasons.of("small.no_agent") if not input.agent.id
`;

const SMALL_TEST = `package gate.rules.small_test

import data.gate.rules.small

test_small_allowed if small.allow == true with input as {"command": "a"} with data.regate as {"tools": ["a"]}

test_small_denied if count(small.deny) == 1 with input as {}
`;

/** A tree of the house's layout with one small rule; `capabilities` is the text of its capabilities document. */
export function houseTree(capabilities: string): Record<string, string> {
  return {
    "policy/gate/main.rego": MAIN,
    "policy/lib/reasons/reasons.rego": REASON,
    "policy/gate/rules/small/small.rego": SMALL,
    "policy/gate/rules/small/small_test.rego": SMALL_TEST,
    "policy/capabilities.json": capabilities,
    "bundles/tiny/bundle.json": JSON.stringify({ rules: ["small"], entrypoints: ["gate/decision", "gate/listing"] }),
    "bundles/tiny/data.json": JSON.stringify({ regate: { tools: ["a"] } }),
  };
}
