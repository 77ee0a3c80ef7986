import type { Service } from '../../../infra/ports/lifecycle.ts';
import { createFactConsumer, type FactConsumerOptions } from '../../runtime/fact-consumer.ts';
import type { Transact } from '../service-handler.ts';
import { appendFact } from './store.ts';

/**
 * Turns facts into the public feed.
 *
 * 1. A fact is in the feed exactly once, however often it is delivered.
 * 2. Its inbox row, written with it, is the proof by which the outbox lets go of it.
 * 3. Facts carry nothing that is under embargo; who publishes one sees to that.
 */
export function createProjector(
  options: Omit<FactConsumerOptions, 'handle' | 'name'> & { readonly transact: Transact },
): Service {
  const { transact, ...consumer } = options;
  return createFactConsumer({
    ...consumer,
    name: 'projector',
    handle: (fact) => transact((tx) => appendFact(tx, fact)),
  });
}
