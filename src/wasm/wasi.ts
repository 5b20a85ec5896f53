const OK = 0;
const BADF = 8;
const NOENT = 44;
const NOSYS = 52;

/** The end of a Go program: `proc_exit` must not return, so it throws this; the instance is dead afterwards. */
export class ProgramExit extends Error {
  readonly exitCode: number;

  constructor(exitCode: number) {
    super(`program ended with code ${exitCode}`);
    this.exitCode = exitCode;
  }
}

export interface WasiOptions {
  /** Arguments of the program, its name first; none unless given. */
  readonly args?: readonly string[];
  /** Environment of the program, `NAME=value`. */
  readonly environ: readonly string[];
  /** What the program's wall clock says, in Unix nanoseconds; the real time unless given. */
  readonly wallClock?: () => bigint;
  /** Takes what the program writes to its standard output or error. */
  readonly log: (text: string) => void;
}

/** Functions of a host by module name and import name. */
export type HostFunctions = Readonly<Record<string, Readonly<Record<string, (...args: never[]) => number | void>>>>;

export interface Wasi {
  /**
   * Imports for a module, with the host's own functions beside those of WASI.
   * @throws Error for an import that is a function of neither
   */
  readonly imports: (module: WebAssembly.Module, host?: HostFunctions) => WebAssembly.Imports;
  /** Gives the shim the instance's memory; before that no function may be called. */
  readonly bind: (memory: WebAssembly.Memory) => void;
}

type Syscall = (...args: never[]) => number;
type FourNumbers = [number, number, number, number];

/** Access to the memory as it is now: it moves when it grows. */
interface Access {
  readonly view: () => DataView;
  readonly bytes: () => Uint8Array<ArrayBuffer>;
}

function accessTo(current: () => WebAssembly.Memory): Access {
  return { view: () => new DataView(current().buffer), bytes: () => new Uint8Array(current().buffer) };
}

/** argv and environ: a table of pointers and the strings, each with a NUL. */
function stringTable(access: Access, strings: readonly string[]) {
  const encoded = strings.map((text) => new TextEncoder().encode(`${text}\0`));
  return {
    sizes: (count: number, size: number): number => {
      access.view().setUint32(count, encoded.length, true);
      access.view().setUint32(
        size,
        encoded.reduce((sum, text) => sum + text.length, 0),
        true,
      );
      return OK;
    },
    get: (table: number, buffer: number): number => {
      let at = buffer;
      for (const [index, text] of encoded.entries()) {
        access.view().setUint32(table + 4 * index, at, true);
        access.bytes().set(text, at);
        at += text.length;
      }
      return OK;
    },
  };
}

/** Nanoseconds of a clock of WASI: 0 is the wall clock, every other one counts from some start. */
type Clocks = (clock: number) => bigint;

function clocksOf(wallClock: () => bigint = () => BigInt(Date.now()) * 1_000_000n): Clocks {
  return (clock) => (clock === 0 ? wallClock() : BigInt(Math.round(performance.now() * 1e6)));
}

/** Clock subscriptions only: sleeps until the earliest one is due, then reports all of them. */
function pollOneoff(access: Access, nanoseconds: Clocks): (...args: FourNumbers) => number {
  const sleeper = new Int32Array(new SharedArrayBuffer(4));
  return (...[input, output, count, reported]) => {
    const view = access.view();
    const clocks = Array.from({ length: count }, (_, index) => input + 48 * index).filter((at) => view.getUint8(at + 8) === 0);
    const waits = clocks.map((at) => {
      const timeout = view.getBigUint64(at + 24, true);
      const absolute = (view.getUint16(at + 40, true) & 1) === 1;
      return Number(absolute ? timeout - nanoseconds(view.getUint32(at + 16, true)) : timeout) / 1e6;
    });
    const wait = Math.min(...waits);
    if (wait > 0 && wait !== Infinity) Atomics.wait(sleeper, 0, 0, wait);
    for (const [index, at] of clocks.entries()) {
      const event = output + 32 * index;
      view.setBigUint64(event, view.getBigUint64(at, true), true);
      view.setUint16(event + 8, OK, true);
      view.setUint8(event + 10, 0);
    }
    view.setUint32(reported, clocks.length, true);
    return OK;
  };
}

function fdWrite(access: Access, log: (text: string) => void): (...args: FourNumbers) => number {
  return (...[fd, vectors, count, written]) => {
    if (fd !== 1 && fd !== 2) return BADF;
    let total = 0;
    for (let index = 0; index < count; index++) {
      const at = access.view().getUint32(vectors + 8 * index, true);
      const length = access.view().getUint32(vectors + 8 * index + 4, true);
      log(new TextDecoder().decode(access.bytes().slice(at, at + length)));
      total += length;
    }
    access.view().setUint32(written, total, true);
    return OK;
  };
}

function randomGet(access: Access): (at: number, length: number) => number {
  return (at, length) => {
    const target = access.bytes().subarray(at, at + length);
    for (let done = 0; done < length; done += 65_536) crypto.getRandomValues(target.subarray(done, done + 65_536));
    return OK;
  };
}

function syscalls(access: Access, options: WasiOptions): Map<string, Syscall> {
  const args = stringTable(access, options.args ?? []);
  const environ = stringTable(access, options.environ);
  const nanoseconds = clocksOf(options.wallClock);
  const table: Record<string, Syscall> = {
    args_sizes_get: args.sizes,
    args_get: args.get,
    environ_sizes_get: environ.sizes,
    environ_get: environ.get,
    clock_time_get: (clock: number, _precision: bigint, at: number) => (access.view().setBigUint64(at, nanoseconds(clock), true), OK),
    clock_res_get: (_clock: number, at: number) => (access.view().setBigUint64(at, 1_000_000n, true), OK),
    random_get: randomGet(access),
    poll_oneoff: pollOneoff(access, nanoseconds),
    sched_yield: () => OK,
    proc_exit: (code: number) => {
      throw new ProgramExit(code);
    },
    fd_write: fdWrite(access, options.log),
    fd_close: () => OK,
    fd_fdstat_set_flags: () => OK,
    fd_fdstat_get: (fd: number, at: number) => {
      if (fd > 2) return BADF;
      // filetype 2 is a character device, flag 1 is append; then the rights.
      access.bytes().fill(0, at, at + 24);
      access.view().setUint8(at, 2);
      access.view().setUint16(at + 2, 1, true);
      access.view().setBigUint64(at + 8, 64n, true);
      return OK;
    },
  };
  return new Map(Object.entries(table));
}

/** No preopened folder, no file, no socket: paths do not exist, descriptors are bad, the rest is not there. */
function refusal(name: string): Syscall {
  if (name.startsWith("path_")) return () => NOENT;
  return name.startsWith("fd_") ? () => BADF : () => NOSYS;
}

/**
 * WASI preview 1 for one instance of a Go program: clocks, random bytes, environment and a log; no filesystem and no network.
 * Its own because `node:wasi` prints a warning, promises no sandbox and would give the program our stdout, the protocol channel.
 */
export function createWasi(options: WasiOptions): Wasi {
  let memory: WebAssembly.Memory | undefined;
  const access = accessTo(() => {
    if (memory === undefined) throw new Error("wasi: no memory is bound");
    return memory;
  });
  const known = syscalls(access, options);
  return {
    imports: (module, host = {}) => {
      const functions: Record<string, Syscall> = {};
      for (const { module: from, name, kind } of WebAssembly.Module.imports(module)) {
        const isWasi = from === "wasi_snapshot_preview1";
        if (kind !== "function" || !(isWasi || host[from]?.[name])) throw new Error(`module: unexpected import \`${from}.${name}\``);
        if (isWasi) functions[name] = known.get(name) ?? refusal(name);
      }
      return { ...host, wasi_snapshot_preview1: functions };
    },
    bind: (bound) => {
      memory = bound;
    },
  };
}
