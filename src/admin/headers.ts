import type { Context } from "hono";
import type { AdminEnv } from "./app.ts";

/** The page loads its own files, talks to its own server, and nothing else. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const HEADERS: Readonly<Record<string, string>> = {
  "content-security-policy": POLICY,
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
  "cache-control": "no-store",
};

/** Sets the headers that every answer has, and the request's id. */
export function setSecurityHeaders(context: Context<AdminEnv>): void {
  for (const [name, value] of Object.entries(HEADERS)) context.header(name, value);
  context.header("x-request-id", context.get("requestId"));
}
