import type { VerbProgram } from "./types.ts";

/** Version control other than git. */
export const VERSION_CONTROL_PROGRAMS: readonly VerbProgram[] = [
  {
    family: "hg",
    names: "hg chg",
    valued: "-R --repository --cwd --config -r --rev -m --message -u --user",
    rows: [
      {
        id: "discard",
        verbs: "strip|purge|rollback|revert|forget|remove|rm|prune|abort|backout",
        example: "hg purge --all",
        clear: "hg log",
      },
      { id: "update-clean", verbs: "update|up|checkout|co|goto", options: "-C --clean", example: "hg update --clean", clear: "hg update" },
      { id: "force", verbs: "push", options: "-f --force", example: "hg push -f", clear: "hg push" },
      {
        id: "config",
        options: "--config",
        value: /^(?:alias|hooks|extensions|ui\.(?:ssh|editor|merge)|pager|extdiff|merge-tools|diff-tools)/,
        verdict: "unverifiable",
        example: "hg --config alias.x='!rm x' x",
        clear: "hg --config ui.username=x log",
      },
    ],
  },
  {
    family: "svn",
    names: "svn svnadmin bzr fossil jj p4 darcs cvs pijul",
    valued: "-m -r -F -c --message --revision --username --password -R --repository",
    rows: [
      {
        id: "discard",
        verbs:
          "delete|del|remove|rm|revert|purge|obliterate|rmlocks|rmtxns|unlock|abandon|undo|uncommit|forget|clean-tree|clean|goto-clean|strip|hide|prune|rollback|unrecord",
        example: "svn revert -R .",
        clear: "svn status",
      },
      {
        id: "bookmark",
        verbs: "bookmark|branch|tag|workspace|operation|op delete|forget|remove|rm|undo|abandon|restore",
        example: "jj bookmark delete x",
        clear: "jj bookmark list",
      },
      { id: "push-delete", verbs: "git push", options: "--delete --deleted", example: "jj git push --delete topic", clear: "jj git push" },
      {
        id: "unversioned",
        verbs: "cleanup",
        options: "--remove-unversioned --remove-ignored",
        example: "svn cleanup --remove-unversioned",
        clear: "svn cleanup",
      },
    ],
  },
];
