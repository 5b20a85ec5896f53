// What the decide benchmark compares. As a program it opens one of them in a process of its own and tells what that one holds:
//   node --expose-gc bench/decide-subjects.mjs "regate default, 1 KB" distinct
import { fileURLToPath } from "node:url";
import { loadEngine } from "../dist/index.js";
import { openCasbin, openPackage } from "./decide-peers.mjs";
import { BUNDLES, questionsTo } from "./questions.mjs";

/** Questions after which memory is read. */
const ASKED = 300;

/** An engine of Regate's as a subject. */
export async function openEngine(bundle, options) {
  const engine = await loadEngine(bundle, options);
  const call = (input) => engine.decide(input);
  return { call, allows: (input) => call(input).allow, close: () => engine.close() };
}

export const unconfirmed = (input) => ({ ...input, session: { ...input.session, identity_confirmed: false } });

/** Questions about the default bundle's mutating tools by somebody who has not said who he is: all are refused. */
function refusedQuestions() {
  const next = questionsTo("default", 1024);
  const refused = (kind) => () => {
    for (;;) {
      const input = next[kind]();
      if (!input.tool.read_only) return unconfirmed(input);
    }
  };
  return { distinct: refused("distinct"), repeated: refused("repeated") };
}

const small = () => questionsTo("default", 1024);
const large = () => questionsTo("default", 100 * 1024);

/** Name, how to open it, and the questions to it, distinct and repeated. */
export const SUBJECTS = [
  ...BUNDLES.map((bundle) => ({ what: `regate ${bundle}, 1 KB`, open: () => openEngine(bundle), ask: () => questionsTo(bundle, 1024) })),
  { what: "casbin like default, 1 KB", open: openCasbin, ask: small },
  { what: "opa-wasm default, 1 KB", open: openPackage, ask: small },
  { what: "regate default, 1 KB, refused", open: () => openEngine("default"), ask: refusedQuestions },
  { what: "casbin like default, 1 KB, refused", open: openCasbin, ask: refusedQuestions },
  { what: "regate default, 1 KB, in a worker", open: () => openEngine("default", { deadlineMs: 1000 }), ask: small },
  { what: "regate default, 100 KB", open: () => openEngine("default"), ask: large },
  { what: "casbin like default, 100 KB", open: openCasbin, ask: large },
  { what: "opa-wasm default, 100 KB", open: openPackage, ask: large },
];

async function tellMemory(wanted, inputs) {
  const { open, ask } = SUBJECTS.find(({ what }) => what === wanted);
  const next = ask()[inputs];
  const before = held();
  const subject = await open();
  for (let asked = 0; asked < ASKED; asked += 1) subject.call(next());
  const kilobytes = Math.round((held() - before) / 1024);
  const { rss } = process.memoryUsage();
  subject.close();
  process.stdout.write(JSON.stringify({ "holds KB": kilobytes, "RSS MB": Math.round(rss / 1024 / 1024) }));
}

/** JavaScript's heap and the buffers outside it, WebAssembly memories among them, after a collection. */
function held() {
  globalThis.gc();
  globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await tellMemory(process.argv[2], process.argv[3]);
