import type { Clock } from '../../../infra/ports/clock.ts';
import type { OutboundOutcome, OutboundPost } from '../../../infra/ports/outbound-post.ts';
import type { Seal } from '../../../infra/ports/seal.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import { eventText, type StoredEvent } from '../../../machines/feed/public-event.ts';
import { eventsAfter } from '../public-events.ts';
import { secretContext, signature } from './signature.ts';
import { type LeasedWebhook, moveOn, type Progress, recordFailure, release } from './store.ts';

export interface DeliveryTerms {
  readonly timeoutMs: number;
  readonly retryMaxSeconds: number;
  /** Well above the timeout: who is alone with a webhook must not lose it while it waits. */
  readonly leaseMs: number;
}

export interface TellDeps {
  readonly sql: Sql;
  readonly outbound: OutboundPost;
  readonly seal: Seal;
  readonly clock: Clock;
  readonly terms: DeliveryTerms;
}

const pageEvents = 100;
/** After so long a webhook that has more to be told lets those go first that wait. */
const turnMs = 1_000;

/**
 * Tells one webhook what it has not been told yet, in the order of cursors, until there is no more, its
 * turn is over, an attempt fails, the lease is lost or the process stops.
 */
export async function tellWebhook(
  deps: TellDeps,
  leased: LeasedWebhook,
  stopping: AbortSignal,
): Promise<void> {
  const { clock, sql } = deps;
  const turnOverMs = clock.monotonicMs() + turnMs;
  const isTurn = () => !stopping.aborted && clock.monotonicMs() < turnOverMs;
  let held = leased;
  do {
    const page = await eventsAfter(sql, held.cursor, pageEvents);
    if (page.length === 0) break;
    const next = await tellPage(deps, held, { page, stopping, isTurn });
    if (next === undefined) return;
    held = { ...held, ...next };
  } while (isTurn());
  await release(sql, held);
}

/** Where to go on; undefined when this attempt is over. */
async function tellPage(
  deps: TellDeps,
  held: LeasedWebhook,
  turn: {
    readonly page: readonly StoredEvent[];
    readonly stopping: AbortSignal;
    readonly isTurn: () => boolean;
  },
): Promise<Progress> {
  const { page, stopping, isTurn } = turn;
  const { sql, terms } = deps;
  const { leaseMs, retryMaxSeconds } = terms;
  let isTold = false;
  for (const event of page) {
    isTold = isWanted(held, event);
    if (!isTold) continue;
    const outcome = await deliver(deps, held, { event, stopping });
    if (stopping.aborted && outcome.kind === 'failed') {
      await release(sql, held);
      return undefined;
    }
    const { cursor } = event;
    if (!isTaken(outcome)) {
      await recordFailure(sql, held, { cursor, ...failureOf(outcome), retryMaxSeconds });
      return undefined;
    }
    const next = await moveOn(sql, held, { cursor, status: outcome.status, leaseMs });
    if (next === undefined || next.replays !== held.replays || !isTurn()) return next;
  }
  const last = page.at(-1);
  if (isTold || last === undefined) return { cursor: last?.cursor ?? 0, replays: held.replays };
  return await moveOn(sql, held, { cursor: last.cursor, status: null, leaseMs });
}

function isWanted({ eventTypes }: LeasedWebhook, { type }: StoredEvent): boolean {
  return eventTypes === null || eventTypes.includes(type);
}

function isTaken(
  outcome: OutboundOutcome,
): outcome is Extract<OutboundOutcome, { kind: 'answered' }> {
  return outcome.kind === 'answered' && outcome.status >= 200 && outcome.status < 300;
}

function failureOf(outcome: OutboundOutcome): { status: number | null; error: string } {
  return outcome.kind === 'failed'
    ? { status: null, error: outcome.reason }
    : { status: outcome.status, error: `answered ${outcome.status}` };
}

async function deliver(
  { outbound, seal, clock, terms }: TellDeps,
  held: LeasedWebhook,
  { event, stopping }: { readonly event: StoredEvent; readonly stopping: AbortSignal },
): Promise<OutboundOutcome> {
  const { webhookId, sealedSecret, url } = held;
  // What is signed, so the host's own time: receivers compare it with theirs.
  const timestamp = Math.floor(clock.nowMs() / 1000);
  const signed = { id: `evt_${event.cursor}`, timestamp, body: eventText(event) };
  const secret = openSecret(seal, sealedSecret, webhookId);
  if (secret === undefined) return { kind: 'failed', reason: 'the secret opens with no key' };
  return await outbound.post({
    url,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'user-agent': 'paddock-webhooks/1',
      'webhook-id': signed.id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': signature(secret, signed),
    },
    body: signed.body,
    timeoutMs: terms.timeoutMs,
    signal: stopping,
  });
}

function openSecret(seal: Seal, sealed: string, webhookId: string): string | undefined {
  try {
    return seal.open(sealed, secretContext(webhookId));
  } catch {
    return undefined;
  }
}
