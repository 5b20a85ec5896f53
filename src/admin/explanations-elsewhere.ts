import type { Explanation } from "./explanations.ts";

const AGAIN = "The agent may repeat the call.";
const LOOK = "Look what it did before anybody repeats it.";
const PINS = "Look at the change with `regate pins show`, and pin it anew if it is what you want.";
const RECORD = "The front writes the session record anew; then the call may be repeated.";

/** Codes of calls that run elsewhere: on upstream servers, and at the tools service. */
export const ELSEWHERE: Readonly<Record<string, Explanation>> = {
  "upstream.unavailable": { meaning: "The upstream server is not available; nothing was sent.", remedy: AGAIN },
  "upstream.outcome_unknown": { meaning: "The connection was lost after the call was sent.", remedy: LOOK },
  "upstream.timeout": { meaning: "The upstream server did not answer in time and was told to stop.", remedy: LOOK },
  "upstream.result_too_large": {
    meaning: "The upstream server's result is too large to be handed on.",
    remedy: "The agent asks for less.",
  },
  "pin.changed": { meaning: "The tool is no longer defined as it was when it was pinned.", remedy: PINS },
  "pin.new": { meaning: "The tool was not pinned yet.", remedy: PINS },
  "pin.hidden_text": { meaning: "The tool's definition holds hidden characters.", remedy: PINS },
  "pin.server_changed": { meaning: "The upstream server's command or address is not the one that was pinned.", remedy: PINS },
  "pin.unreadable": {
    meaning: "The file of pins cannot be read.",
    remedy: "Mend or restore the file; `regate pins show` says what is wrong.",
  },
  "name.ambiguous": {
    meaning: "The tool's name is malformed or not unique.",
    remedy: "Rename the server or the tool in the gateway's configuration.",
  },
  "delegate.unavailable": {
    meaning: "The tools service cannot be reached.",
    remedy: "Look at Redis and the workers; then the call may be repeated.",
  },
  "delegate.busy": { meaning: "The tools service has too much to do.", remedy: AGAIN },
  "delegate.session_missing": { meaning: "The call has no valid session record.", remedy: RECORD },
  "delegate.session_conflict": { meaning: "The trace belongs to another identity.", remedy: "Nothing: a trace keeps its identity." },
  "delegate.rejected": {
    meaning: "The tools service refused the message.",
    remedy: "Look at the worker's log: the message was forged, stale or malformed.",
  },
  "delegate.indeterminate": { meaning: "Nobody knows whether the call was executed.", remedy: LOOK },
};
