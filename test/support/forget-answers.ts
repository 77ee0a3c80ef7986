import { outdatedAnswers } from '../../actors/services/operator/operator.actor.ts';
import type { Sql } from '../../infra/ports/sql.ts';

/** As if a day and an hour had gone by, for answers to operators' orders alone: none is remembered. */
export async function forgetAnswers(sql: Sql): Promise<void> {
  await sql`update idempotency set at = at - interval '25 hours'`;
  await outdatedAnswers(sql, 86_400)(1_000);
}
