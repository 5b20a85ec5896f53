import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, mkdirSync, readFileSync, renameSync, rmSync, rmdirSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { eventsOf, linesOf, openLog, recordOf, temporaryFolder } from "./kit.ts";

const code = (wanted: string): unknown => expect.objectContaining({ code: wanted });
const DIST = pathToFileURL(join(import.meta.dirname, "../../dist/audit/decision-log.js")).href;
const RECORD = JSON.stringify({ ...recordOf({ arguments: { note: "n".repeat(700) } }), call: undefined });

/** Runs a script that has `open(session)` and `record`, in a process whose files cannot grow beyond `limit` KiB. */
function runLimited(limit: number, script: string): string {
  const stateDir = temporaryFolder();
  const prelude = `import { openDecisionLog } from ${JSON.stringify(DIST)};
    import { writeSync } from "node:fs";
    const record = ${RECORD};
    const open = (sessionId) => openDecisionLog({ stateDir: ${JSON.stringify(stateDir)}, sessionId, labels: {}, now: () => 1n });
    const say = (text) => writeSync(1, text + "\\n");`;
  const child = spawnSync("bash", ["-c", `ulimit -f ${limit}; exec "$0" --input-type=module -e "$1"`, process.execPath, prelude + script], {
    encoding: "utf8",
  });
  expect(child.stderr).toBe("");
  return child.stdout.trim() + readFileSync(join(stateDir, "decisions", "s.jsonl"), "utf8").replaceAll(/.+\n/g, "#");
}

describe("a full device", () => {
  test("a line that does not fit is taken back whole, each later one is refused too, and the file stays whole", () => {
    const result = runLimited(
      4,
      `const log = open("s"); const ends = [];
       for (let i = 0; i < 6; i += 1) try { log.decision(record); ends.push("ok"); } catch (error) { ends.push(error.code + "/" + error.cause.code); }
       say(ends.join(" "));`,
    );
    expect(result).toBe("ok ok audit.unavailable/EFBIG audit.unavailable/EFBIG audit.unavailable/EFBIG audit.unavailable/EFBIG##");
  });

  test("a smaller event that fits afterwards is taken: the log recovers by itself", () => {
    const result = runLimited(
      4,
      `const log = open("s"); const small = { ...record, input: {} }; const ends = [];
       for (const one of [record, record, record, small]) try { log.decision(one); ends.push("ok"); } catch (error) { ends.push("refused"); }
       say(ends.join(" "));`,
    );
    expect(result).toBe("ok ok refused ok###");
  });
});

describe("a log whose place is lost", () => {
  test("every call is refused until the folder is back, then the chain goes on", () => {
    const { log, stateDir, file } = openLog();
    log.decision(recordOf({}));
    renameSync(join(stateDir, "decisions"), join(stateDir, "away"));
    writeFileSync(join(stateDir, "decisions"), "a file in its place");
    expect(() => log.decision(recordOf({}))).toThrow(code("audit.unavailable"));
    expect(() => log.decision(recordOf({}))).toThrow(code("audit.unavailable"));
    rmSync(join(stateDir, "decisions"));
    renameSync(join(stateDir, "away"), join(stateDir, "decisions"));
    log.decision(recordOf({}));
    expect(eventsOf(file).map((event) => event.custom.regate.seq)).toEqual([1, 2]);
  });

  test("a removed or replaced file is not written to", () => {
    const { log, file } = openLog();
    log.decision(recordOf({}));
    rmSync(file);
    expect(() => log.decision(recordOf({}))).toThrow(code("audit.unavailable"));
    writeFileSync(file, "");
    expect(() => log.decision(recordOf({}))).toThrow(code("audit.unavailable"));
    expect(readFileSync(file, "utf8")).toBe("");
  });

  test.each<[string, (file: string) => void]>([
    ["appended to", (file) => appendFileSync(file, "{}\n")],
    ["cut", (file) => truncateSync(file, 10)],
  ])("a file that someone else has %s is not continued", (_name, tamper) => {
    const { log, file } = openLog();
    log.decision(recordOf({}));
    tamper(file);
    const before = readFileSync(file, "utf8");
    expect(() => log.decision(recordOf({}))).toThrow(code("audit.unavailable"));
    expect(readFileSync(file, "utf8")).toBe(before);
  });

  test("a folder in a file system where nobody makes any is refused at once, not tried for ever", () => {
    const script = `import { openDecisionLog } from ${JSON.stringify(DIST)};
      try { openDecisionLog({ stateDir: "/proc/regate-nope", sessionId: "s", labels: {}, now: () => 1n }); } catch (error) { console.log(error.code); }`;
    const child = spawnSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8", timeout: 60_000 });
    expect({ signal: child.signal, stdout: child.stdout }).toEqual({ signal: null, stdout: "audit.unavailable\n" });
  });

  test("a folder that cannot be made refuses the start", () => {
    const stateDir = temporaryFolder();
    mkdirSync(join(stateDir, "decisions"));
    rmdirSync(join(stateDir, "decisions"));
    writeFileSync(join(stateDir, "decisions"), "");
    expect(() => openLog(stateDir)).toThrow(code("audit.unavailable"));
  });
});

describe("one writer (trial E02)", () => {
  test("a second log of the same session in this process is refused, one of another session is not", () => {
    const { log, stateDir, file } = openLog();
    expect(() => openLog(stateDir)).toThrow(code("audit.session_locked"));
    openLog(stateDir, "mcp-2").log.decision(recordOf({}));
    log.decision(recordOf({}));
    log.close();
    openLog(stateDir).log.decision(recordOf({}));
    expect(linesOf(file)).toHaveLength(2);
  });

  test("of two processes that write 1,000 events each, the second refuses to start; the chain holds", async () => {
    const stateDir = temporaryFolder();
    const script = `import { openDecisionLog } from ${JSON.stringify(DIST)};
      const log = openDecisionLog({ stateDir: ${JSON.stringify(stateDir)}, sessionId: "s", labels: {}, now: () => 1n });
      const record = ${RECORD};
      for (let i = 0; i < 1000; i += 1) log.decision(record);
      console.log("done"); setInterval(() => {}, 1000);`;
    const first = spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: ["ignore", "pipe", "inherit"] });
    try {
      await once(first.stdout, "data");
      const second = spawnSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8", timeout: 60_000 });
      expect(second.status).toBe(1);
      expect(second.stderr).toContain("audit.session_locked");
      const file = join(stateDir, "decisions", "s.jsonl");
      const events = eventsOf(file);
      expect(events.map((event) => event.custom.regate.seq)).toEqual(Array.from({ length: 1000 }, (_, at) => at + 1));
      expect(events.every((event, at) => at === 0 || event.custom.regate.prev_hash === events[at - 1]?.custom.regate.hash)).toBe(true);
      // A killed holder is no holder: the next one continues.
      first.kill("SIGKILL");
      await once(first, "exit");
      openLog(stateDir, "s").log.decision(recordOf({}));
      expect(eventsOf(file).at(-1)?.custom.regate.seq).toBe(1001);
    } finally {
      first.kill("SIGKILL");
    }
  }, 180_000);

  function openAfter(change: object): () => unknown {
    const { log, stateDir } = openLog();
    const lock = join(stateDir, "locks", "mcp-1764520000000000001.lock");
    const holder = JSON.parse(readFileSync(lock, "utf8")) as object;
    log.close();
    writeFileSync(lock, JSON.stringify({ ...holder, ...change }));
    return () => openLog(stateDir).log.decision(recordOf({}));
  }

  test.each<[string, object]>([
    ["of a process that is gone", { pid: 2 ** 22 + 1, started: "1" }],
    ["of an earlier process with this number", { started: "1" }],
  ])("a lock %s is taken over", (_name, change) => {
    expect(openAfter(change)).not.toThrow();
  });

  test.each<[string, object]>([
    ["of another machine", { pid: 2 ** 22 + 1, host: "elsewhere" }],
    ["of another process-id namespace", { pid: 2 ** 22 + 1, namespace: "pid:[1]" }],
    ["that cannot be read", { pid: "x" }],
  ])("a lock %s is respected", (_name, change) => {
    expect(openAfter(change)).toThrow(code("audit.session_locked"));
  });
});
