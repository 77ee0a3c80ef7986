import type { Delivery, Signals } from '../../../infra/ports/bus.ts';
import type { Service } from '../../../infra/ports/lifecycle.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import { createFactConsumer, type FactConsumerOptions } from '../../runtime/fact-consumer.ts';
import { withSavepoint } from '../savepoint.ts';
import type { Transact } from '../service-handler.ts';
import { publicEventsSignal } from './messages.ts';
import { projectFact, type ReleaseTerms } from './project-fact.ts';
import { type ProjectedFact, project } from './store.ts';
import { tellDue } from './tell-due.ts';

export interface ProjectorOptions extends Omit<FactConsumerOptions, 'handle' | 'name'> {
  readonly sql: Sql;
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
  const { sql, transact, signals, terms, ...consumer } = options;
  const { log } = options;
  return createFactConsumer({
    ...consumer,
    name: 'projector',
    handle: async (facts) => {
      await projectFacts({ sql, transact, log }, facts, terms);
      signals.signal(publicEventsSignal, {});
    },
  });
}

/**
 * All or none of them. One round trip, unless a new top is among them: its code goes out right behind, or
 * later where that fails, for it is due in any case.
 */
export async function projectFacts(
  { sql, transact, log }: Pick<ProjectorOptions, 'log' | 'sql' | 'transact'>,
  facts: readonly Delivery[],
  terms: ReleaseTerms,
): Promise<void> {
  const rounds = upToEachTop(facts.map((fact) => ({ fact, ...projectFact(fact, terms) })));
  const [first = [], ...others] = rounds;
  if (others.length === 0 && !endsWithTop(first)) return await project(sql, first);
  await transact(async (tx) => {
    for (const round of rounds) {
      await project(tx, round);
      if (!endsWithTop(round)) continue;
      const outcome = await withSavepoint(tx, () => tellDue(tx, log));
      if ('error' in outcome) log.error('what is due with a new top is told later', outcome);
    }
  });
}

function upToEachTop(facts: readonly ProjectedFact[]): readonly ProjectedFact[][] {
  const rounds: ProjectedFact[][] = [];
  for (const each of facts) {
    const last = rounds.at(-1);
    if (last === undefined || endsWithTop(last)) rounds.push([each]);
    else last.push(each);
  }
  return rounds;
}

function endsWithTop(round: readonly ProjectedFact[]): boolean {
  return round.at(-1)?.release?.reason === 'TOP';
}
