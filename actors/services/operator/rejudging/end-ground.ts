import type { Clock } from '../../../../infra/ports/clock.ts';
import type { Logger } from '../../../../infra/ports/log.ts';
import type { Sql } from '../../../../infra/ports/sql.ts';
import type { RejudgingPreview } from '../../../../machines/rejudging/preview.ts';
import type { RequestOf } from '../../messages.ts';
import type { CommandFacts } from '../../service-handler.ts';
import type { operatorService } from '../messages.ts';
import { previewRaces, raceVerdicts } from './preview.ts';
import { judgingsOf, rejudgingById } from './reads.ts';

/** What completed races would have come to, with the verdicts that it was computed from. */
export interface EndGround {
  readonly races: RejudgingPreview['races'];
  readonly verdicts: ReadonlyMap<string, number>;
}

interface EndDeps {
  readonly sql: Sql;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly log: Logger;
}

type Request = RequestOf<typeof operatorService, 'order-rejudging'>;

/** An order takes up to a second once its turn has come, and may wait for the one before it. */
const carryOutMs = 2_000;

/**
 * Read before the order's turn comes: a month of races takes seconds, in which no other order could be carried
 * out. Undefined where the order will be refused, and where a rejudging is to be cancelled and this cannot be
 * read, or not while somebody waits for it: it ends all the same.
 */
export async function endGround(
  { sql, clock, log }: EndDeps,
  request: Request,
  { budgetMs = Number.POSITIVE_INFINITY }: CommandFacts,
): Promise<EndGround | undefined> {
  const { order, rejudgingId } = request;
  const isApplied = order === 'apply-rejudging';
  // Without it there is nothing to apply, while a cancellation goes on with half the time.
  const readMs = Math.max(budgetMs / 2, isApplied ? budgetMs - carryOutMs : 0);
  const untilMs = clock.monotonicMs() + readMs;
  try {
    return await readGround(sql, request, () => clock.monotonicMs() < untilMs);
  } catch (error) {
    if (isApplied) throw error;
    log.warn('it is not kept what races would have come to by a rejudging', { rejudgingId, error });
    return undefined;
  }
}

async function readGround(
  sql: Sql,
  { order, rejudgingId }: Request,
  isWanted: () => boolean,
): Promise<EndGround | undefined> {
  const rejudging = await rejudgingById(sql, rejudgingId);
  const isCancelled = order === 'cancel-rejudging' && rejudging?.status === 'OPEN';
  if (rejudging?.status !== 'READY' && !isCancelled) return undefined;
  const judgings = await judgingsOf(sql, rejudging);
  const races = await previewRaces(sql, judgings, isWanted);
  return { races, verdicts: raceVerdicts(judgings) };
}
