import { cells } from "../arguments.ts";

/** Actions of `find` that run the words up to `;` or `{} +`. */
export const FIND_EXECUTING: ReadonlySet<string> = new Set(cells("-exec -execdir -ok -okdir"));

/** Actions of `find` that write a file. */
export const FIND_WRITING: ReadonlySet<string> = new Set(cells("-fprint -fprint0 -fprintf -fls"));

/** Tests and options of `find` whose next word is their value. */
export const FIND_VALUED: ReadonlySet<string> = new Set(
  cells(
    "-name -iname -path -ipath -wholename -iwholename -regex -iregex -lname -ilname -newer -anewer -cnewer -newermt -newerct -newerat -user " +
      "-group -uid -gid -size -perm -type -xtype -mtime -atime -ctime -mmin -amin -cmin -maxdepth -mindepth -fstype -inum -links -samefile " +
      "-used -context -printf -regextype -D -files0-from",
  ),
);
