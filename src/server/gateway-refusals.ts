import { refuse } from "../gate/refuse.ts";
import type { RefusalCode } from "../gate/refusals.ts";
import { PassedOn } from "../tools/tool-error.ts";
import type { ToolStatus } from "../upstream/tool-table.ts";
import { refusalResult } from "./results.ts";

/** The refusal of each state that is not served. */
export const PIN_CODES: Readonly<Record<Exclude<ToolStatus, "ok">, RefusalCode>> = {
  changed: "pin.changed",
  new: "pin.new",
  hidden_text: "pin.hidden_text",
  server_changed: "pin.server_changed",
  unreadable: "pin.unreadable",
};

/** What ends an admitted call with a refusal of its own code. */
export function refusal(code: RefusalCode, decisionId: string, detail: string): PassedOn {
  const row = refuse("handler", code);
  const text = detail === "" ? row.text : `${row.text}: ${detail}`;
  return new PassedOn(refusalResult({ ...row, text }, decisionId));
}
