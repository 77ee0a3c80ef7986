import { outdatedIdentity } from '../../actors/services/auth/auth.actor.ts';
import { countedRequests } from '../../actors/services/inference/inference.actor.ts';
import { outdatedAnswers } from '../../actors/services/operator/operator.actor.ts';
import type { Sweep } from '../../actors/services/sweep.ts';
import type { Config } from '../../infra/config/config.ts';
import type { Clock } from '../../infra/ports/clock.ts';
import type { Sql } from '../../infra/ports/sql.ts';

/** What is thrown away once it has served, each for as long as the configuration says. */
export function sweepsOf({
  sql,
  config,
  clock,
}: {
  readonly sql: Sql;
  readonly config: Pick<Config, 'nonceMemorySeconds' | 'idempotencySeconds'>;
  readonly clock: Clock;
}) {
  return {
    ...outdatedIdentity(sql, { keepNonceSeconds: config.nonceMemorySeconds, clock }),
    answers: outdatedAnswers(sql, config.idempotencySeconds),
    completions: countedRequests(sql),
  } satisfies Record<string, Sweep>;
}
