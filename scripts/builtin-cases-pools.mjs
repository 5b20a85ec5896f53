// Pools that random calls are drawn from, by builtin: one pool an operand; a pool is a list of Rego texts or a function that makes one.
const text = (value) => JSON.stringify(value);

const formats = (random, pick) => {
  const parts = Array.from({ length: 1 + random(3) }, () => {
    const flags = Array.from({ length: random(3) }, () => pick(["#", "0", "+", "-", " "])).join("");
    const width = random(3) === 0 ? String(random(12)) : "";
    const precision = random(4) === 0 ? `.${random(6)}` : "";
    return `${pick(["", "a", "é "])}%${flags}${width}${precision}${pick(["d", "s", "v", "q", "x", "o", "f", "e", "g", "c", "b", "t", "U", "X"])}`;
  });
  return text(parts.join(""));
};
const scalar = (random, pick) =>
  pick([
    "1",
    "-7",
    "0",
    "255",
    "1.5",
    "-2.25",
    "1e20",
    "0.1",
    "123456789.125",
    "99999999999999999999",
    '"s"',
    '"héé"',
    '""',
    "true",
    "null",
    "[1]",
    "{2, 1}",
    '{"k": "v"}',
    "65",
    "128512",
  ]);
const valueList = (random, pick) => `[${Array.from({ length: random(4) }, () => scalar(random, pick)).join(", ")}]`;

const pattern = (random, pick) => {
  const atom = (depth) => {
    const choice = random(depth > 2 ? 9 : 12);
    if (choice === 9) return `(${alternatives(depth + 1)})`;
    if (choice === 10) return `(?:${alternatives(depth + 1)})`;
    if (choice === 11) return `(?i:${alternatives(depth + 1)})`;
    return pick(["a", "b", "c", ".", "[ab]", "[^a]", "\\\\b", "^", "$", "\\\\d", "\\\\w", "é", "A"]);
  };
  const sequence = (depth) =>
    Array.from({ length: random(4) }, () => atom(depth) + pick(["", "", "", "*", "+", "?", "*?", "+?", "??", "{2}", "{0,2}", "{1,}"])).join(
      "",
    );
  const alternatives = (depth) => Array.from({ length: 1 + random(2) }, () => sequence(depth)).join("|");
  return `"${alternatives(0)}"`;
};
const subject = (random, pick) => text(Array.from({ length: random(9) }, () => pick(["a", "b", "c", "A", "1", " ", "é", "\n"])).join(""));
const template = (random, pick) =>
  text(Array.from({ length: random(4) }, () => pick(["x", "$0", "$1", "${2}", "$$", "$1a", "-"])).join(""));

const nanoseconds = (random) => String(BigInt(random(1 << 30)) * BigInt(random(1 << 30)) * BigInt(random(3) - 1) * 4n);
const moment = (random, pick) =>
  pick([
    nanoseconds(random),
    `[${nanoseconds(random)}, ${text(pick(["UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Sydney", "America/Sao_Paulo"]))}]`,
  ]);
const recent = (random, pick) => {
  const ns = String((1_000_000_000n + BigInt(random(1_000_000_000))) * 1_000_000_000n + BigInt(random(1_000_000_000)));
  return pick([
    ns,
    `[${ns}, ${text(pick(["UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "America/St_Johns", "Africa/Cairo", "America/Santiago"]))}]`,
  ]);
};
const two = (value) => String(value).padStart(2, "0");
const stamp = (random, pick) =>
  text(
    `${1650 + random(650)}-${two(random(14))}-${two(random(33))}T${two(random(25))}:${two(random(61))}:${two(random(61))}${pick(["", `.${random(1 << 30)}`])}${pick(["Z", `+${two(random(25))}:${two(random(60))}`, `-${two(random(13))}:00`])}`,
  );
const duration = (random, pick) =>
  text(
    pick(["", "-", ""]) +
      Array.from(
        { length: 1 + random(3) },
        () => `${pick([random(1000), random(9), `${random(99)}.${random(999)}`])}${pick(["h", "m", "s", "ms", "us", "ns", "d", "w", "y"])}`,
      ).join(""),
  );
const amount = (random, pick) =>
  text(
    `${pick(["", "-", ""])}${random(100_000)}${pick(["", `.${random(100_000)}`, `e${random(9)}`, `e-${random(9)}`])}${pick(["", "k", "K", "Ki", "M", "m", "Mi", "G", "Gi", "T", "P", "E", "KB", "MiB", "gb", "x"])}`,
  );
const version = (random, pick) =>
  text(`${random(3)}.${random(12)}.${random(3)}${pick(["", `-${pick(["a", "1", "rc.1", "a.b", "10", "9"])}`, "+b"])}`);
const shape = (random, pick, depth = 0) => {
  const choice = random(depth > 2 ? 4 : 7);
  const items = () => Array.from({ length: random(3) }, () => shape(random, pick, depth + 1));
  if (choice < 4) return pick(["1", "2", "1.0", '"a"', "null", "true"]);
  if (choice === 4) return `[${items().join(", ")}]`;
  if (choice === 5) return items().length === 0 ? "set()" : `{${pick(["1", "2"])}}`;
  return `{${["a", "b"]
    .filter(() => random(2) === 0)
    .map((key) => `${text(key)}: ${shape(random, pick, depth + 1)}`)
    .join(", ")}}`;
};
const object = (random, pick) =>
  `{${["a", "b", "c"]
    .filter(() => random(3) > 0)
    .map((key) => `${text(key)}: ${shape(random, pick)}`)
    .join(", ")}}`;
const array = (random, pick) => `[${Array.from({ length: random(5) }, () => shape(random, pick, 2)).join(", ")}]`;
const small = (random) => String(random(40) - 20);
const count = (random) => String(random(5) - 1);

/** Builtin → pools of its operands. */
export const pools = {
  sprintf: [formats, valueList],
  "regex.find_n": [pattern, subject, count],
  "regex.replace": [subject, pattern, template],
  "time.clock": [recent],
  "time.date": [moment],
  "time.weekday": [moment],
  "time.add_date": [recent, small, small, small],
  "time.diff": [recent, recent],
  "time.parse_rfc3339_ns": [stamp],
  "time.parse_duration_ns": [duration],
  "units.parse": [amount],
  "units.parse_bytes": [amount],
  "semver.compare": [version, version],
  "object.subset": [
    (random, pick) => (random(2) === 0 ? object : array)(random, pick),
    (random, pick) => (random(2) === 0 ? object : array)(random, pick),
  ],
  "strings.count": [subject, subject],
  indexof_n: [subject, subject],
  "numbers.range_step": [small, small, count],
};
