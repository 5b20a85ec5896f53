import { cells } from "../arguments.ts";

/** Verbs after which a program's further operands are names or text, not verbs. */
export const NEUTRAL_VERBS: ReadonlySet<string> = new Set(
  cells(
    "list ls describe get show view read cat status search find explain help man docs info tail watch wait create add new init " +
      "set update edit patch put write copy cp upload download push pull clone open login logout whoami version diff plan preview " +
      "validate check test exec ssh scp start restart describe-instances lookup query inspect annotate import export " +
      "browse comment checkout rename",
  ),
);

/** Those of them with which the name of an operation begins. */
export const NEUTRAL_PREFIXES: ReadonlySet<string> = new Set(
  cells("list describe get show view read add create update put set validate copy start"),
);

/** Verbs that make any word of an unknown program destructive, alone, beside a colon or before a hyphen (reference: shell.md §5.8). */
export const DESTROYING_VERBS: ReadonlySet<string> = new Set(cells("delete destroy terminate purge drop wipe nuke uninstall"));

/** First operands after which an unknown program only shows text. */
export const TALKING_VERBS: ReadonlySet<string> = new Set(cells("help explain man search docs describe tutorial cheat"));
