import type { Clock } from '../../infra/ports/clock.ts';
import type { Logger } from '../../infra/ports/log.ts';
import type { Command } from './partition-actor.ts';

/** What an owner takes to decide and commit, as a rule, so that its answer is the first. */
const lateMs = 400;

/**
 * Refuses for a member that has lapsed. Callers take the first answer, and whoever owns the partition by now has
 * to commit before his. Where nobody does, they are to hear soon that the database is away.
 */
export async function answerLate(
  { budgetMs, id }: Command,
  answer: () => void,
  { clock, log }: { readonly clock: Clock; readonly log: Logger },
): Promise<void> {
  await clock.sleep(Math.min(lateMs, (budgetMs ?? Number.POSITIVE_INFINITY) / 2));
  try {
    answer();
  } catch (error) {
    log.debug('a late answer could not be sent', { command: id, error });
  }
}
