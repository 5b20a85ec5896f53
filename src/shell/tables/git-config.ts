import { cells } from "../arguments.ts";

/** `-c KEY=VALUE` settings that make git run nothing and send nothing elsewhere. */
export const GIT_HARMLESS_CONFIG: readonly RegExp[] = [
  /^push\.(?:default|autosetupremote|followtags)=/i,
  /^user\.(?:name|email|signingkey|useconfigonly)=/i,
  /^(?:color|column|advice)\./i,
  /^core\.(?:quotepath|autocrlf|eol|safecrlf|filemode|ignorecase|precomposeunicode|longpaths|abbrev|compression|preloadindex|bare)(?:=|$)/i,
  /^core\.(?:fsmonitor=false|hookspath=\/dev\/null|pager=(?:cat)?|editor=(?:true|:|cat))$/i,
  /^(?:diff\.external|credential\.helper|core\.askpass)=$/i,
  /^(?:commit|tag|push)\.gpgsign=false$/i,
  /^(?:init\.defaultbranch|safe\.directory|protocol\.version|gc\.auto|maintenance\.auto|pull\.(?:rebase|ff)|merge\.(?:ff|conflictstyle|renames))=/i,
  /^(?:rebase\.(?:autosquash|autostash|updaterefs)|log\.(?:date|decorate|showsignature)|fetch\.(?:parallel|prune)|diff\.(?:algorithm|renames|noprefix|context))=/i,
  /^(?:http\.(?:version|postbuffer|lowspeedlimit|lowspeedtime|sslverify|extraheader)|index\.version|status\.\w+|submodule\.recurse)=/i,
  /^pager\.\w+=(?:false|cat)$/i,
];

/** Keys whose value is a program that git runs later (trials C03). */
export const GIT_PROGRAM_KEYS =
  /^(?:core\.(?:fsmonitor|hookspath|pager|editor|sshcommand|askpass|gitproxy|alternaterefscommand)|diff\.external|diff\..+\.(?:command|textconv)|filter\..+\.(?:clean|smudge|process)|merge\..+\.driver|credential\.(?:.+\.)?helper|gpg\.(?:.+\.)?program|sequence\.editor|interactive\.difffilter|init\.templatedir|pager\..+|(?:difftool|mergetool|man|browser|guitool)\..+\.(?:cmd|path)|uploadpack\.packobjectshook|remote\..+\.(?:uploadpack|receivepack|vcs)|trailer\..+\.(?:command|cmd)|include(?:if\..+)?\.path|sendemail\.(?:smtpserver|tocmd|cccmd|headercmd)|submodule\..+\.update|receive\.procreceiverefs)$/i;

/** git's own verbs; any other may be an alias of the repository. */
export const GIT_KNOWN_VERBS: ReadonlySet<string> = new Set(
  cells(
    "add am annotate apply archive bisect blame branch bundle cat-file check-attr check-ignore checkout cherry cherry-pick clean clone commit " +
      "config count-objects describe diff diff-files diff-index diff-tree fetch for-each-ref format-patch fsck gc grep help init log ls-files " +
      "ls-remote ls-tree merge merge-base mv name-rev notes prune pull push range-diff rebase reflog remote reset restore rev-list rev-parse " +
      "revert rm shortlog show show-branch show-ref sparse-checkout stash status submodule switch symbolic-ref tag update-ref var verify-commit " +
      "verify-tag version whatchanged worktree write-tree",
  ),
);
