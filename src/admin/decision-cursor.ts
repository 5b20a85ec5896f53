import { deflateRawSync, inflateRawSync } from "node:zlib";
import { z } from "zod";

/** Where a page of the decision log ended in one file. */
export interface FilePlace {
  /** Lines before this byte are read. */
  readonly before: number;
  /** Decisions at this byte or behind it were given already; outcomes between the two belong to decisions that were not. */
  readonly below: number;
}

/** Where a page of the decision log ended: the time of its last decision, and the place in each file that was read. */
export interface DecisionCursor {
  readonly time: string;
  readonly files: ReadonlyMap<string, FilePlace>;
}

const MAX_LENGTH = 12_000;

const form = z.strictObject({
  t: z.string().max(40),
  f: z.record(z.string().max(200), z.tuple([z.int().min(0), z.int().min(0)])),
});

/** Writes a cursor as text for a URL. */
export function cursorText({ time, files }: DecisionCursor): string {
  const entries = [...files].map(([name, { before, below }]) => [name, [before, below]] as const);
  return deflateRawSync(JSON.stringify({ t: time, f: Object.fromEntries(entries) })).toString("base64url");
}

/** Reads a cursor; undefined for whatever is none. */
export function parseCursor(text: string): DecisionCursor | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  try {
    const json = inflateRawSync(Buffer.from(text, "base64url"), { maxOutputLength: 1_048_576 }).toString("utf8");
    const parsed = form.safeParse(JSON.parse(json));
    if (!parsed.success) return undefined;
    const files = Object.entries(parsed.data.f).map(([name, [before, below]]) => [name, { before, below }] as const);
    return { time: parsed.data.t, files: new Map(files) };
  } catch {
    return undefined;
  }
}
