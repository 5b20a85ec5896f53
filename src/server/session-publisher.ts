import { publishSession } from "../govern/session-feed.ts";
import { MAX_BUNDLE_NAME, MAX_CLIENT_TEXT } from "../govern/session-feed-form.ts";
import type { SessionSnapshot } from "../govern/session-feed-form.ts";
import type { SessionView } from "../session/session.ts";

/** What is told of a session beside its own view. */
export interface PublisherOptions {
  readonly stateDir: string;
  readonly startedAt: Date;
  /** Name of the bundle; null without an engine. */
  readonly bundle: string | null;
  readonly workdir?: string | undefined;
}

/**
 * Tells the admin server of the state directory about a session of this process: who, since when, the identity state and the counters;
 * no command, no argument, no variable (issue 6, sessions of other processes).
 */
export function sessionPublisher({ stateDir, ...facts }: PublisherOptions): (view: () => SessionView) => () => void {
  return (view) => publishSession({ stateDir, snapshot: () => snapshotOf(view(), facts) });
}

function snapshotOf(view: SessionView, { startedAt, bundle, workdir }: Omit<PublisherOptions, "stateDir">): SessionSnapshot {
  const { claim, user, client, identity, profile, usage } = view;
  const { calls, denied, running, calls_last_minute } = usage;
  return {
    v: 1,
    session_id: claim.sessionId,
    agent_id: claim.agentId,
    user,
    pid: process.pid,
    started_at: startedAt.toISOString(),
    client: client.name === undefined ? null : { name: shortened(client.name), version: shortened(client.version ?? "") },
    bundle: bundle === null ? null : bundle.slice(0, MAX_BUNDLE_NAME),
    workdir: workdir ?? null,
    identity: { confirmed: identity.identity_confirmed, confirmed_profile: identity.confirmed_profile, epoch: identity.epoch },
    active_profile: profile.active,
    usage: { calls, denied, running, calls_last_minute },
  };
}

/** A client writes what it likes: its name must not keep the session from being seen. */
function shortened(text: string): string {
  return text.slice(0, MAX_CLIENT_TEXT);
}
