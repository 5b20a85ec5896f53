import { unlinkSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createStoreFile, listStoreFolder, readStoreFile } from "../govern/store-file.ts";
import { eventsOf } from "./approval-events.ts";
import type { ApprovalEvent } from "./approval-events.ts";
import type { AdminMetrics } from "./metrics.ts";
import type { Approval } from "./ports.ts";
import { hookHeaders, hookMessage } from "./webhook-message.ts";
import type { HookMessage } from "./webhook-message.ts";

/** Where messages go, and what keeps them in order. */
export interface WebhookOptions {
  readonly url: string;
  readonly secret: Buffer;
  readonly stateDir: string;
  /** Where links lead. */
  readonly pageUrl: string;
  readonly metrics: Pick<AdminMetrics, "hooked">;
  readonly now: () => Date;
  /** Takes one line for stderr. */
  readonly note: (line: string) => void;
  readonly stop: AbortSignal;
  /** Milliseconds before the second attempt; each later wait is twice as long, up to a minute. 1 s unless given. */
  readonly firstWaitMs?: number;
}

/** Tells the outside of requests. Its failure decides nothing. */
export interface Webhook {
  /** Sends what happened, unless it was delivered before. */
  readonly tell: (event: ApprovalEvent) => void;
  /** Sends what happened while nobody listened, since the webhook was first used; forgets marks of requests that are gone. */
  readonly catchUp: (approvals: readonly Approval[]) => void;
  /** Resolves when nothing waits any more. */
  readonly idle: () => Promise<void>;
}

const ATTEMPTS = 24;
const LONGEST_WAIT_MS = 60_000;
const TIMEOUT_MS = 10_000;
const AT_ONCE = 8;
const MARK = /^[0-9a-f]{32}\.(?:pending|decided|expired)$/;

/** Makes a webhook. What was delivered is marked in the state directory, so that a restart sends the rest, with the same ids. */
export function createWebhook(options: WebhookOptions): Webhook {
  const { stateDir, stop, note, now } = options;
  const folder = join(stateDir, "webhook");
  const since = beginning(folder, now());
  const done = new Set(listStoreFolder(folder, MARK));
  const chains = new Map<string, Promise<void>>();
  const slots = createSlots(AT_ONCE);

  async function deliver(message: HookMessage): Promise<void> {
    for (let attempt = 1; !stop.aborted; attempt += 1) {
      const failure = await slots(() => post(message, options));
      options.metrics.hooked(failure === undefined ? "delivered" : attempt < ATTEMPTS ? "failed" : "given_up");
      if (failure === undefined || attempt >= ATTEMPTS) {
        if (failure !== undefined) note(`webhook: \`${message.mark}\` was given up after ${ATTEMPTS} attempts: ${failure}`);
        createStoreFile(join(folder, message.mark), `${now().toISOString()}\n`);
        return;
      }
      if (attempt === 1) note(`webhook: \`${message.mark}\` is not delivered yet: ${failure}`);
      await sleep(waitOf(attempt, options.firstWaitMs), undefined, { signal: stop, ref: false }).catch(() => undefined);
    }
  }

  function tell(event: ApprovalEvent): void {
    const message = hookMessage(event, options.pageUrl);
    if (done.has(message.mark) || event.approval.created_at < since) return;
    done.add(message.mark);
    const { id } = event.approval;
    // One request's messages go out in the order in which things happened to it.
    const chain = (chains.get(id) ?? Promise.resolve())
      .then(() => deliver(message))
      .catch((error: unknown) => note(`webhook: ${error instanceof Error ? error.message : String(error)}`))
      .finally(() => {
        if (chains.get(id) === chain) chains.delete(id);
      });
    chains.set(id, chain);
  }

  return {
    tell,
    catchUp(approvals) {
      const known = new Set(approvals.map(({ id }) => id));
      for (const mark of done) if (!known.has(mark.split(".")[0] ?? "")) forget(folder, mark);
      for (const approval of approvals) for (const kind of eventsOf(approval)) tell({ kind, approval });
    },
    async idle() {
      while (chains.size > 0) await Promise.all(chains.values());
    },
  };
}

/** The time since which requests are told of: that of the first use, so that a new webhook does not tell old stories. */
function beginning(folder: string, now: Date): string {
  createStoreFile(join(folder, "since"), `${now.toISOString()}\n`);
  return readStoreFile(join(folder, "since"), 64)?.trim() ?? now.toISOString();
}

/** What went wrong; undefined when the message was taken. A redirect is none of our business: the signed message goes to one address. */
async function post(message: HookMessage, { url, secret, now, stop }: WebhookOptions): Promise<string | undefined> {
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: hookHeaders(message, secret, now()),
      body: message.body,
      redirect: "manual",
      signal: AbortSignal.any([stop, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    await response.body?.cancel();
    return response.ok ? undefined : `status ${response.status}`;
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    return cause instanceof Error && "code" in cause ? String(cause.code) : "no answer";
  }
}

/** 1 s, 2 s, 4 s … one minute, each up to a quarter shorter, so that several do not come back together. */
function waitOf(attempt: number, firstMs = 1_000): number {
  return Math.min(firstMs * 2 ** (attempt - 1), LONGEST_WAIT_MS) * (1 - Math.random() / 4);
}

function forget(folder: string, mark: string): void {
  try {
    unlinkSync(join(folder, mark));
  } catch {
    // Somebody else has removed it.
  }
}

/** Lets so many run at once. */
function createSlots(count: number): <Result>(run: () => Promise<Result>) => Promise<Result> {
  let free = count;
  const waiting: (() => void)[] = [];
  return async (run) => {
    if (free === 0) await new Promise<void>((resolve) => waiting.push(resolve));
    else free -= 1;
    try {
      return await run();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
}
