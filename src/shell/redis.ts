import { cells, fixedSyntax, readArguments } from "./arguments.ts";
import { type Arg, type Call, type Run, report, withText } from "./state.ts";

const VALUED = new Set(
  cells(
    "-h -p -s -a -u -r -i -n -d -D -t --user --pass --rdb --pattern --quoted-pattern --count --cert --key --cacert --cacertdir --sni --tls-ciphers --intrinsic-latency",
  ),
);
const DELETING = new Set(
  cells(
    "flushall flushdb shutdown del unlink hdel srem zrem lrem ltrim spop xdel xtrim getdel zremrangebyscore zremrangebyrank zremrangebylex zpopmin zpopmax " +
      "json.del json.forget ft.dropindex ft.drop bf.del swapdb replicaof slaveof failover debug migrate rename restore",
  ),
);
const GROUPS: Readonly<Record<string, RegExp>> = Object.assign(Object.create(null) as object, {
  script: /^(?:flush|kill)$/i,
  function: /^(?:flush|delete|kill|restore)$/i,
  cluster: /^(?:reset|forget|flushslots|delslots\w*|failover)$/i,
  acl: /^(?:deluser)$/i,
  client: /^(?:kill)$/i,
  config: /^(?:set|rewrite|resetstat)$/i,
  xgroup: /^(?:destroy|delconsumer)$/i,
});

/** Judges `redis-cli`: the command after its options, or commands on standard input (reference: shell.md §6, "Databases"). */
export function judgeRedis(run: Run, call: Call): void {
  const given = readArguments(call.args, fixedSyntax(VALUED, { stop: true }));
  const first = given.operands[0];
  if (given.options.some(({ name }) => name === "--pipe" || name === "--eval")) report(run, "unverifiable.stdin-code", call.argv[0]!);
  if (first !== undefined) return judgeWords(run, call.args.slice(first.index));
  const { stdin } = call.scope;
  if (stdin.kind === "unknown") report(run, "unverifiable.stdin-code", call.argv[0]!);
  if (stdin.kind !== "text") return;
  for (const line of stdin.text.split("\n")) {
    judgeWords(
      run,
      cells(line.trim()).map((text) => withText(call.argv[0]!, text)),
    );
  }
}

function judgeWords(run: Run, words: readonly Arg[]): void {
  const [verb, sub] = words;
  if (verb === undefined) return;
  const name = verb.text.toLowerCase();
  if (verb.dynamic) return report(run, "unverifiable.dynamic-verb", verb);
  if (DELETING.has(name) || GROUPS[name]?.test(sub?.text ?? "") === true) return report(run, "destructive.redis", verb);
  if (name === "eval" || name === "evalsha" || name === "fcall") judgeScript(run, verb, words[1]);
}

function judgeScript(run: Run, verb: Arg, script: Arg | undefined): void {
  const deletes = /\b(?:flushall|flushdb|del|unlink|shutdown|hdel|srem|zrem)\b/i.test(script?.text ?? "");
  report(run, deletes ? "destructive.redis" : "unverifiable.code.redis", verb);
}
