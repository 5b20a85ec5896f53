import type { IncomingMessage, ServerResponse } from "node:http";
import { MAX_LINE_BYTES } from "./screen.ts";

/** What came of reading a body. */
export type Body = { readonly kind: "whole"; readonly bytes: Buffer } | { readonly kind: "too_large" } | { readonly kind: "gone" };

/** Reads a body as bytes, up to the length of a line; what comes behind that is thrown away. Never rejects. */
export async function readBody(request: IncomingMessage, response: ServerResponse): Promise<Body> {
  if (request.headers.expect !== undefined) response.writeContinue();
  const chunks: Buffer[] = [];
  let length = 0;
  return await new Promise((resolve) => {
    request.on("data", (chunk: Buffer) => {
      length += chunk.length;
      if (length <= MAX_LINE_BYTES) chunks.push(chunk);
      else resolve({ kind: "too_large" });
    });
    request.once("end", () => resolve({ kind: "whole", bytes: Buffer.concat(chunks) }));
    request.once("close", () => resolve({ kind: "gone" }));
    request.once("error", () => resolve({ kind: "gone" }));
  });
}
