import type { Signals, Subscription } from '../../../infra/ports/bus.ts';
import type { Service } from '../../../infra/ports/lifecycle.ts';
import type { Logger } from '../../../infra/ports/log.ts';
import { publicEventsSignal } from '../projector/messages.ts';
import { hasWebhooks, type LeasedWebhook, leaseDue } from './store.ts';
import { type TellDeps, tellWebhook } from './tell-webhook.ts';

export interface WebhookDeps extends TellDeps {
  readonly signals: Pick<Signals, 'onSignal'>;
  readonly log: Logger;
}

/** Signals may be lost, and retries come without one. */
const lookEveryMs = 1_000;
/** Webhooks that one process tells at a time; a slow receiver holds up nobody but itself. */
const toldAtOnce = 16;

/**
 * Tells webhooks of the public feed: each event at least once, in order, one delivery of a webhook at
 * a time over all processes. Whoever dies on the way leaves a lease that ends, and the cursor where
 * it was.
 */
export function createWebhooks(deps: WebhookDeps): Service {
  const stopping = new AbortController();
  const telling = new Set<Promise<void>>();
  let signal: Subscription | undefined;
  let running: Promise<void> = Promise.resolve();
  let nap = new AbortController();
  let isAnybody = false;
  let askedMs = Number.NEGATIVE_INFINITY;

  const tell = (webhook: LeasedWebhook) => {
    const told = tellWebhook(deps, webhook, stopping.signal)
      .catch((error) => {
        deps.log.warn('a webhook could not be told; its lease ends by itself', {
          webhookId: webhook.webhookId,
          error,
        });
      })
      .finally(() => {
        telling.delete(told);
        nap.abort();
      });
    telling.add(told);
  };
  /** Asked once a second at most: a look is due with every event, in every coordinator. */
  const isAnybodyThere = async () => {
    const nowMs = deps.clock.monotonicMs();
    if (nowMs - askedMs < lookEveryMs) return isAnybody;
    isAnybody = await hasWebhooks(deps.sql);
    askedMs = nowMs;
    return isAnybody;
  };
  const look = async () => {
    const limit = toldAtOnce - telling.size;
    if (limit <= 0 || !(await isAnybodyThere())) return;
    for (const due of await leaseDue(deps.sql, { limit, ...deps.terms })) tell(due);
  };
  const run = async () => {
    while (!stopping.signal.aborted) {
      nap = new AbortController();
      try {
        await look();
      } catch (error) {
        deps.log.warn('webhooks could not be read; the next look tries again', { error });
      }
      await deps.clock.sleep(lookEveryMs, AbortSignal.any([nap.signal, stopping.signal]));
    }
  };
  return {
    start: async () => {
      signal = deps.signals.onSignal(publicEventsSignal, () => nap.abort());
      running = run();
    },
    stop: async () => {
      stopping.abort();
      await signal?.close();
      await running;
      await Promise.all(telling);
    },
  };
}
