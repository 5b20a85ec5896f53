/** How long a store is still waited for after the end: what ends then should be known to the other fronts. */
const END_GRACE_MS = 400;

/**
 * Waits for a step of a store, though not much beyond the end of the session: then all is over within 2 s, whatever the store does (design §3).
 * @param end aborted when the session ends
 */
export async function untilEnd<Value>(work: Promise<Value>, end: AbortSignal): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  let giveUp: () => void = () => undefined;
  const over = new Promise<never>((_resolve, reject) => {
    giveUp = () => {
      timer = setTimeout(() => reject(new Error("the session has ended")), END_GRACE_MS);
    };
    if (end.aborted) giveUp();
    else end.addEventListener("abort", giveUp, { once: true });
  });
  try {
    return await Promise.race([work, over]);
  } finally {
    clearTimeout(timer);
    end.removeEventListener("abort", giveUp);
    work.catch(() => undefined);
  }
}
