import type { Choice } from "./types.ts";

/**
 * The policy choices of reference/shell.md §9, true when the thing counts as destructive (`inline_code`: when an interpreter's one-liner
 * without any sign of danger is unverifiable). An operator's file may set each.
 */
export const DEFAULT_CHOICES: Readonly<Record<Choice, boolean>> = {
  append: false,
  copy: false,
  move: true,
  in_place_edit: true,
  tee: true,
  compress: true,
  git_branch_delete: false,
  compose_down: false,
  container_stop: true,
  iac_plan_destroy: false,
  inline_code: false,
};
