/**
 * A store in Redis cannot be used: it refused, did not answer in time or gave what nobody expects (`store_unavailable`), or it could not be
 * reached and nothing was sent (`store_unreachable`). The message holds no value of a key or an argument and no part of the URL.
 */
export class StoreError extends Error {
  readonly code: "store_unavailable" | "store_unreachable";

  constructor(code: StoreError["code"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "StoreError";
    this.code = code;
  }
}
