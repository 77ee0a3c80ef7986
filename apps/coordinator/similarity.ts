import { createSimilarity } from '../../actors/services/similarity/similarity.actor.ts';
import type { Clock } from '../../infra/ports/clock.ts';
import type { Logger } from '../../infra/ports/log.ts';
import type { ObjectStore } from '../../infra/ports/object-store.ts';
import type { Sql } from '../../infra/ports/sql.ts';
import { transaction } from '../../infra/postgres/transaction.ts';
import { createCodeFingerprinter } from '../../infra/python/code-fingerprinter.ts';
import { codeKey } from '../edge/evaluation/object-keys.ts';

/** A first look goes over all versions. */
const statementTimeoutMs = 10_000;

/** Compares submitted files with earlier ones, until disposed of. */
export async function startSimilarity(deps: {
  /** As paddock_service. */
  readonly sql: Sql;
  readonly objects: ObjectStore;
  readonly clock: Clock;
  readonly log: Logger;
}): Promise<AsyncDisposable> {
  const { sql, objects, clock, log } = deps;
  const similarity = createSimilarity({
    ...{ sql, clock, log },
    transact: (body) => transaction(sql, { statementTimeoutMs }, body),
    readCode: (sha256) => objects.get(codeKey(sha256)),
    fingerprinter: createCodeFingerprinter(clock),
  });
  await similarity.start();
  return { [Symbol.asyncDispose]: () => similarity.stop() };
}
