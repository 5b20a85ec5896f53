/**
 * The fragments of seed 003. They are a floor: no table and no operator's file can make them clear.
 * On words: each has a row in the tables (tested). `--destructive-match=text` also searches them in the raw text.
 */
export const SEED_FRAGMENTS: readonly string[] = [
  "rm",
  "delete",
  "destroy",
  "terminate",
  "kubectl delete",
  "terraform apply",
  "terraform destroy",
  "tofu apply",
  "tofu destroy",
  "docker rm",
  "docker rmi",
  "git push --force",
  "chmod 777",
];

/** The fragments that are one word: verbs wherever a program's verb stands. */
export const SEED_VERBS: ReadonlySet<string> = new Set(["rm", "delete", "destroy", "terminate"]);
