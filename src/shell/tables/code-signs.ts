/** Signs in the code of one language: of destroying or replacing, and of running programs or hidden code. */
export interface CodeSigns {
  readonly destroys: RegExp;
  readonly runs: RegExp;
}

const SQL_IN_CODE = "\\b(?:drop\\s+(?:table|database|schema|index|view|user|role)|truncate\\s+table|delete\\s+from)\\b";
const ANY = "drop_database|\\.drop\\(|delete_many|deleteMany|delete_one|deleteOne|dropDatabase|flushall|flushdb";

/** Methods of clients in any language whose name begins with a destroying verb (`.deleteIndex(`, `.terminate_instances(`). */
export const DESTROYING_METHOD =
  /\.(?:(?:delete|destroy|terminate|purge|wipe)_[a-z]\w*|(?:delete|destroy|terminate|purge|wipe|drop)[A-Z]\w*|clearObjects|destroy_all)\s*\(?/;

function signs(destroys: string, runs: string): CodeSigns {
  return { destroys: new RegExp(`${destroys}|${ANY}|${SQL_IN_CODE}`, "i"), runs: new RegExp(runs) };
}

/** Per language; `other` is the sum of what any of them would show (reference: shell.md §6, "Interpreters"). */
export const CODE_SIGNS: Readonly<Record<string, CodeSigns>> = Object.assign(Object.create(null) as object, {
  python: signs(
    "\\bos\\s*\\.\\s*(?:remove|unlink|rmdir|removedirs|truncate|rename|renames|replace|kill|killpg|ftruncate)\\b|shutil\\s*\\.\\s*(?:rmtree|move)|\\.unlink\\(|\\.rmdir\\(|\\brmtree\\b|" +
      "(?<![.\\w])(?:remove|unlink|rmdir|removedirs)\\s*\\(|\\bopen\\s*\\([^)]{0,300},\\s*(?:mode\\s*=\\s*)?[bru]*['\"][^'\"]*[wx][^'\"]*['\"]|\\.write_(?:text|bytes)\\(|\\.truncate\\(|\\.rename\\(|\\.replace\\(['\"]?/|\\.touch\\(\\)\\.unlink|\\b(?:requests|httpx)\\s*\\.\\s*delete\\b",
    "\\bos\\s*\\.\\s*(?:system|popen|exec\\w*|spawn\\w*|posix_spawn\\w*|startfile|fork)\\b|subprocess|\\bpty\\b|__import__|(?<![.\\w])(?:eval|exec|compile|execfile|system|popen)\\s*\\(|importlib|" +
      "\\bgetattr\\s*\\(|ctypes|\\bcommands\\b\\s*\\.|b64decode|runpy|marshal|pickle\\s*\\.\\s*loads|\\bsh\\s*\\.\\s*rm|multiprocessing|asyncio\\.create_subprocess|from\\s+os\\s+import|builtins|__builtins__|globals\\(\\)|vars\\(",
  ),
  javascript: signs(
    "\\b(?:rm|rmdir|unlink|rename|truncate|ftruncate)Sync\\b|\\bfs(?:\\/promises|Promises|p)?['\"]?\\)?(?:\\.promises)?\\s*\\.\\s*(?:rm|rmdir|unlink|truncate|rename|writeFile|copyFile|createWriteStream|open)|" +
      "(?:write|copy)FileSync|\\bwriteFile\\b|\\bunlink\\s*\\(|\\brm\\s*\\(|rimraf|Deno\\s*\\.\\s*(?:remove|rename|truncate|writeTextFile|writeFile|kill)|Bun\\s*\\.\\s*write|process\\s*\\.\\s*kill|\\bremoveSync|emptyDir|\\bdel\\s*\\(",
    "child_process|\\bexecSync\\b|\\bspawnSync\\b|\\bexecFile|\\bspawn\\s*\\(|\\bexec\\s*\\(|(?<![.\\w])eval\\s*\\(|new\\s+Function|\\bFunction\\s*\\(|process\\s*\\.\\s*(?:binding|dlopen|mainModule)|\\bvm['\"]?\\)?\\s*\\.\\s*run|" +
      "fromCharCode|\\batob\\s*\\(|base64|Deno\\s*\\.\\s*(?:run|Command|dlopen)|Bun\\s*\\.\\s*(?:spawn|\\$)|execa|shelljs|worker_threads|\\bimport\\s*\\(|require\\s*\\(\\s*[^'\"`)\\s]|\\[\\s*['\"](?:rm|unlink|exec)",
  ),
  perl: signs(
    "\\bunlink\\b|\\brmdir\\b|\\brmtree\\b|\\bremove_tree\\b|\\btruncate\\b|\\brename\\b|\\bkill\\b|open\\s*\\(?[^;]{0,300}['\"]\\s*\\+?>(?!>)|\\bmove\\s*\\(",
    "\\bsystem\\b|\\bexec\\b|`|\\bqx\\b|\\beval\\b|\\bopen\\s*\\(?[^;]{0,300}\\||\\bfork\\b|\\brequire\\b|\\bdo\\s+['\"]|IPC::|\\bsyscall\\b|\\bpack\\b|\\/e\\b|s\\{[^}]{0,200}\\}\\{[^}]{0,200}\\}\\w*e",
  ),
  ruby: signs(
    "File\\s*\\.\\s*(?:delete|unlink|rename|write|truncate|open\\([^)]{0,300}['\"][^'\"]*w)|Dir\\s*\\.\\s*(?:delete|rmdir|unlink)|FileUtils|IO\\s*\\.\\s*write|\\.(?:unlink|rmtree|rmdir)\\b|Process\\s*\\.\\s*kill|\\brm_rf\\b|\\brm_r\\b",
    "\\bsystem\\b|\\bexec\\b|`|%x|\\bspawn\\b|IO\\s*\\.\\s*popen|Open3|\\beval\\b|instance_eval|class_eval|\\bfork\\b|Kernel\\s*\\.|\\bsend\\s*\\(|__send__|public_send|\\bload\\b|\\bopen\\s*\\(?\\s*['\"]\\||unpack|decode64|Fiddle|dlopen",
  ),
  php: signs(
    "\\bunlink\\s*\\(|\\brmdir\\s*\\(|\\brename\\s*\\(|file_put_contents\\s*\\(|ftruncate\\s*\\(|fopen\\s*\\([^)]{0,300}['\"][wxc]|posix_kill|\\bcopy\\s*\\(",
    "\\bsystem\\s*\\(|\\bexec\\s*\\(|shell_exec|passthru|proc_open|popen\\s*\\(|`|\\beval\\s*\\(|pcntl_exec|\\binclude\\b|\\brequire\\b|assert\\s*\\(|base64_decode|create_function|call_user_func|\\$\\w+\\s*\\(|mail\\s*\\(",
  ),
  lua: signs(
    "os\\s*\\.\\s*(?:remove|rename)|io\\s*\\.\\s*open\\s*\\([^)]{0,300}['\"][w]",
    "os\\s*\\.\\s*execute|io\\s*\\.\\s*popen|loadstring|\\bload\\s*\\(|dofile|loadfile|\\bos\\s*\\[|\\brequire\\b|package\\s*\\.|\\bstring\\.char",
  ),
  tcl: signs(
    "file\\s+(?:delete|rename)|open\\s+\\S+\\s+w",
    '\\bexec\\b|\\beval\\b|open\\s+["{]?\\||\\bsource\\b|\\bsubst\\b|\\buplevel\\b|\\bload\\b',
  ),
  r: signs(
    "unlink\\s*\\(|file\\.remove\\s*\\(|file\\.rename|writeLines\\s*\\([^)]{0,300}['\"]",
    "system2?\\s*\\(|shell\\s*\\(|eval\\s*\\(|source\\s*\\(|pipe\\s*\\(",
  ),
  julia: signs("\\brm\\s*\\(|\\bmv\\s*\\(|open\\s*\\([^)]{0,300}['\"]w", "`|\\brun\\s*\\(|\\beval\\s*\\(|ccall|include\\s*\\("),
  mongo: signs(
    "\\.drop\\s*\\(|dropDatabase|dropIndex|deleteMany|deleteOne|\\.remove\\s*\\(|findOneAndDelete|renameCollection|dropUser|dropRole|dropAll|shutdownServer|bulkWrite|\\$out|\\$merge|killOp|killSessions",
    "\\brun(?:Program|NonMongoProgram)?\\s*\\(|\\beval\\s*\\(|\\bload\\s*\\(|child_process|\\bFunction\\b|adminCommand|runCommand\\s*\\(\\s*\\{\\s*(?:drop|delete|shutdown)",
  ),
  other: signs(
    "\\b(?:rm|rmdir|unlink|rmtree|deleteRecursively|delete-file|delete-directory|deleteDir|removeFile|removeDirectory|DeleteFile)\\b|\\.delete(?:OnExit|Dir|IfExists)?\\s*\\(|File\\.(?:rm|delete|write)|\\bFiles\\.(?:delete|move|write)|writeFile|rename-file|write-region",
    "\\bsystem\\b|\\bexec\\b|`|\\bprocess\\b|shell-command|call-process|start-process|\\.execute\\s*\\(|Runtime|ProcessBuilder|\\bspawn\\b|\\bsh\\b|\\beval\\b|System\\.cmd|os:cmd|run-program|shellout|\\bpopen\\b|\\.!!?|\\brun\\b",
  ),
});
