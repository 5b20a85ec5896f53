// Inputs that make a shipped bundle work hard: everything that it reads made large, in the shapes that JSON has, and the long lists of a
// shell analysis. bench/worst.bench.mjs measures them at the bounds, test/policy/worst-inputs.test.ts counts how their work grows.

const simple = (...argv) => ({ name: argv[0], argv, via: [] });
const listOf = (n, item) => Array.from({ length: n }, (_, at) => item(at));

/** A value of each shape of JSON, `n` large. */
const SHAPES = {
  text: (n) => "a ".repeat(n / 2),
  "list of texts": (n) => listOf(n, (at) => `word-${at}`),
  "list of equal texts": (n) => listOf(n, () => "run_shell"),
  "list of lists": (n) => listOf(n / 2, (at) => [at]),
  object: (n) => Object.fromEntries(listOf(n, (at) => [`key-${at}`, at])),
};

/** What a shell command line can be made of; `n` is the length of the list. */
const SHELL = {
  "listed programs": (n) => ({ commands: listOf(n, () => simple("ls")) }),
  "different listed programs": (n) => ({ commands: listOf(n, (at) => simple("ls", `${at}`)) }),
  "programs with patterns": (n) => ({ commands: listOf(n, (at) => simple("git", "log", "-n", `${at}`)) }),
  "programs that fit no pattern": (n) => ({ commands: listOf(n, (at) => simple("tail", "-n", `${at}`, "a", "b")) }),
  "unlisted programs": (n) => ({ commands: listOf(n, (at) => simple(`x${at}`)) }),
  "words of one program": (n) => ({ commands: [simple("ls", ...listOf(n, (at) => `w${at}`))] }),
  "words against patterns": (n) => ({ commands: [simple("git", "log", "-n", ...listOf(n, (at) => `w${at}`))] }),
  "wrappers of one program": (n) => ({ commands: [{ ...simple("ls"), via: listOf(n, () => "true") }] }),
  redirects: (n) => ({ redirects: listOf(n, (at) => ({ op: "<", target: `f${at}` })) }),
  "redirects that are not listed": (n) => ({ redirects: listOf(n, (at) => ({ op: ">", target: `f${at}` })) }),
  "segments of a redirect": (n) => ({ redirects: [{ op: "<", target: "a/".repeat(n) }] }),
};

/**
 * The families of hard inputs to one bundle.
 * @param manifest of the bundle: its input paths, and a self-test that it allows, which every input begins with
 * @returns name and `inputOf(n)`, whose size grows with `n`, an even number
 */
export function worstInputs({ input_paths, self_test }) {
  const base = self_test.findLast(({ allow }) => allow).input;
  const families = input_paths.flatMap((path) =>
    Object.entries(SHAPES).map(([shape, value]) => ({
      name: `${path.join(".")}: ${shape}`,
      inputOf: (n) => withValue(base, path, value(n)),
    })),
  );
  if (!input_paths.some(([first]) => first === "shell")) return families;
  const shell = { verifiable: true, commands: [simple("ls")], redirects: [] };
  const lines = Object.entries(SHELL).map(([name, part]) => ({
    name: `shell: ${name}`,
    inputOf: (n) => ({ ...base, shell: { ...shell, ...part(n) } }),
  }));
  return [...families, ...lines];
}

/** A copy of an object with another value at a path, which is made where there is none. */
function withValue(object, [key, ...rest], value) {
  return { ...object, [key]: rest.length === 0 ? value : withValue(object?.[key] ?? {}, rest, value) };
}

const longest = (head, piece) => head + piece.repeat(Math.floor((65_536 - head.length) / piece.length));

/** Command lines of 65,536 bytes, the longest that are analysed, which give the policy the most to do. */
export const WORST_LINES = [
  { name: "commands without arguments", line: longest("", "ls;") },
  { name: "commands with patterns", line: longest("", "git log -n 1;") },
  { name: "commands that fit no pattern", line: longest("", "tail -n a b c;") },
  { name: "wrapped commands", line: longest("", "env nice ls;") },
  { name: "words of one command", line: longest("ls ", "a ") },
  { name: "words against patterns", line: longest("git log -n ", "a ") },
  { name: "redirects to listed targets", line: longest("ls ", "<a ") },
  { name: "redirects to other targets", line: longest("ls ", ">a ") },
  { name: "segments of one redirect", line: longest("ls <", "a/") },
];
