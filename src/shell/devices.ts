import type { Arg, Run } from "./state.ts";

/** Tells whether writing to a path loses nothing: the null device, our own streams, and what the tables add (reference: shell.md §5.10). */
export function isSafeTarget(run: Run, path: string): boolean {
  return run.tables.safeTargets.has(path) || /^\/(?:dev|proc\/self)\/fd\/\d+$/.test(path);
}

/** Tells whether a file's name stands for standard input or for a process substitution: what it holds is made by this very command. */
export function isStream(file: Arg): boolean {
  return /^(?:-|\/dev\/(?:stdin|fd\/\d+)|\/proc\/self\/fd\/\d+)$/.test(file.text) || file.raw.startsWith("<(");
}

/** Tells whether a path lies in a directory of the system, locally or on another host (`host:/etc/…`). */
export function isSystemPath(path: string): boolean {
  const local = path.replace(/^(?:[\w.-]+@)?[\w.-]+:(?=\/)/, "");
  return /^\/+(?:$|(?:etc|usr|bin|sbin|lib(?:32|64|x32)?|boot|dev|proc|sys|root|var\/(?:lib|spool))(?:\/|$))/.test(local);
}

/** Tells whether a path certainly leads out of the working directory. `/tmp` is private to the command and does not count. */
export function isOutside(path: string): boolean {
  return (/^[/~]/.test(path) && !/^\/(?:var\/)?tmp(?:\/(?!.*\.\.)|$)/.test(path)) || /(?:^|\/)\.\.(?:\/|$)/.test(path);
}
