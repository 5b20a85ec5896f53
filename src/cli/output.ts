import type { Writable } from "node:stream";

/** Writes and waits until the bytes have left, so that a slow reader slows the writer down. Rejects when the reader is gone. */
export async function write(stream: Writable, chunk: string | Uint8Array): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    stream.write(chunk, (error) => {
      if (error) reject(error);
      else resolve();
    });
  });
}
