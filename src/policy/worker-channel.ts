/** States of the channel between the engine and its worker thread, in the first word of the shared memory. */
export const STATE = Object.freeze({ starting: 0, idle: 1, request: 2, failed: 3 });

/** Words of the shared memory's head. */
export const WORD = Object.freeze({ state: 0, entrypoint: 1, length: 2, status: 3 });

/** What a finished evaluation means: a result set, or the message of what was thrown. */
export const STATUS = Object.freeze({ result: 0, thrown: 1 });

const HEAD_BYTES = 16;

/** One shared memory: a head of four words, and room for one text, which is the input and then the answer. */
export interface Channel {
  readonly shared: SharedArrayBuffer;
  readonly head: Int32Array;
  readonly body: Buffer;
}

/**
 * Makes a channel, or opens the other end of one.
 * @param shared memory of an existing channel, or the number of bytes that a text may take
 */
export function openChannel(shared: SharedArrayBuffer | number): Channel {
  const memory = typeof shared === "number" ? new SharedArrayBuffer(HEAD_BYTES + shared) : shared;
  return { shared: memory, head: new Int32Array(memory, 0, HEAD_BYTES / 4), body: Buffer.from(memory, HEAD_BYTES) };
}

/**
 * Puts a text into the channel.
 * @throws RangeError when it does not fit
 */
export function putText(channel: Channel, text: string): void {
  if (text.length * 3 > channel.body.length && Buffer.byteLength(text) > channel.body.length)
    throw new RangeError("text does not fit the channel");
  Atomics.store(channel.head, WORD.length, channel.body.write(text, 0, "utf8"));
}

/** Takes the text out of the channel. */
export function takeText(channel: Channel): string {
  return channel.body.toString("utf8", 0, Atomics.load(channel.head, WORD.length));
}

/** Sets the state and wakes the other end. */
export function setState(channel: Channel, state: number): void {
  Atomics.store(channel.head, WORD.state, state);
  Atomics.notify(channel.head, WORD.state);
}
