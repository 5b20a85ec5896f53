/** A device login that did not succeed: the message is for the agent and holds no answer of the server. */
export interface DeviceLoginError extends Error {
  readonly code: "device_login_failed";
}

/** Makes one. `why` is lower case prose without a final period. */
export function deviceError(why: string, cause?: unknown): DeviceLoginError {
  const error = new Error(`device_login_failed: ${why}`, cause === undefined ? {} : { cause });
  return Object.assign(error, { code: "device_login_failed" as const });
}

/** Tells whether an error is a device login's own. */
export function isDeviceError(error: unknown): error is DeviceLoginError {
  return error instanceof Error && "code" in error && error.code === "device_login_failed";
}
