/** The beginning of a stream, up to a cap. */
export interface CappedOutput {
  /** Takes a chunk; what is beyond the cap is counted and dropped. */
  readonly take: (chunk: Buffer) => void;
  /** Whether anything was dropped. */
  isTruncated(): boolean;
  /** What was kept, as UTF-8 with replacement characters; never cut inside a character. */
  text(): string;
}

/** Makes a collector that keeps at most `cap` bytes. */
export function cappedOutput(cap: number): CappedOutput {
  const kept: Buffer[] = [];
  let size = 0;
  let isTruncated = false;
  return {
    take: (chunk) => {
      const part = chunk.subarray(0, cap - size);
      if (part.length < chunk.length) isTruncated = true;
      if (part.length === 0) return;
      // A copy when cut: the rest of the chunk must not stay in memory.
      kept.push(part.length < chunk.length ? Buffer.from(part) : part);
      size += part.length;
    },
    isTruncated: () => isTruncated,
    text() {
      const bytes = Buffer.concat(kept);
      return (isTruncated ? bytes.subarray(0, wholeCharacters(bytes)) : bytes).toString("utf8");
    },
  };
}

/** Length without an incomplete UTF-8 sequence at the end. */
function wholeCharacters(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] as number;
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}
