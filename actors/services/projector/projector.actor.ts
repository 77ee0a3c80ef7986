import type { Delivery, Signals } from '../../../infra/ports/bus.ts';
import type { Service } from '../../../infra/ports/lifecycle.ts';
import type { Transaction } from '../../../infra/ports/sql.ts';
import type { Tidings } from '../../../machines/feed/public-event.ts';
import { createFactConsumer, type FactConsumerOptions } from '../../runtime/fact-consumer.ts';
import type { Transact } from '../service-handler.ts';
import { publicEventsSignal } from './messages.ts';
import { projectFact, type ReleaseTerms } from './project-fact.ts';
import { append, consume, lockFeed, planAgain, planRelease } from './store.ts';
import { tellDue } from './tell-due.ts';

export interface ProjectorOptions extends Omit<FactConsumerOptions, 'handle' | 'name'> {
  readonly transact: Transact;
  readonly signals: Pick<Signals, 'signal'>;
  readonly terms: ReleaseTerms;
}

/**
 * Turns facts into the public feed.
 *
 * 1. A fact is in the feed at most once, however often it is delivered, and what is not public never.
 * 2. Its inbox row, written with it, is the proof by which the outbox lets go of it.
 * 3. What is under embargo waits for its release, which is planned in the same transaction.
 */
export function createProjector(options: ProjectorOptions): Service {
  const { transact, signals, terms, ...consumer } = options;
  return createFactConsumer({
    ...consumer,
    name: 'projector',
    handle: async (facts) => {
      await transact((tx) => projectFacts(tx, facts, terms));
      signals.signal(publicEventsSignal, {});
    },
  });
}

/** All in one transaction, which costs the same for one fact as for many. */
export async function projectFacts(
  tx: Transaction,
  facts: readonly Delivery[],
  terms: ReleaseTerms,
): Promise<void> {
  await lockFeed(tx);
  const waiting: Tidings[] = [];
  for (const fact of await consume(tx, facts)) {
    const { tidings, release, endedInRace } = projectFact(fact, terms);
    if (endedInRace !== undefined) await planAgain(tx, endedInRace);
    if (tidings !== undefined) waiting.push(tidings);
    if (release === undefined) continue;
    await append(tx, waiting.splice(0));
    await planRelease(tx, release);
    // A new top's code goes out right behind the news.
    if (release.reason === 'TOP') await tellDue(tx);
  }
  await append(tx, waiting);
}
