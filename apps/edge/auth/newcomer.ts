import type { Clock } from '../../../infra/ports/clock.ts';
import type { SignatureVerifier } from '../../../infra/ports/signatures.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import type { StrangersQueue } from '../middleware/strangers-queue.ts';
import { isHotkeyBanned, liveSession } from '../reads/callers.ts';

export interface NewcomerDeps {
  readonly strangers: Pick<StrangersQueue, 'add'>;
  readonly verifier: SignatureVerifier;
  /** Over the connections that callers are read over. */
  readonly callersSql: Sql;
  readonly clock: Pick<Clock, 'sleep'>;
}

/** Between two looks for a place among strangers. */
const againMs = 50;
/** A signature of a key that nobody holds any more. */
const message = Buffer.from('newcomer');
const publicKey = Buffer.from(
  '1e36d541f5b96c8ef7cb4f1025797b4b4b46c4748862d83068a684284c7a0c15',
  'hex',
);
const signature = Buffer.from(
  '1225b1c6c2180c9954d2c57d9da78d287279fb67c3f6818081234b23c3e1ad26b5977851b7445709c401a2989ae48ba4307305c6e1ba116713223414171b228a',
  'hex',
);

/**
 * Goes the way of somebody who proved nothing lately, and takes as long: a turn among strangers, a
 * signature, what the database says of callers. The chain and the broker are not asked, and what turns
 * a newcomer away during a flood of false signatures does not turn this one away.
 */
export async function goNewcomersWay(deps: NewcomerDeps): Promise<void> {
  await strangersTurn(deps);
  if (!(await deps.verifier.verify(message, signature, publicKey))) {
    throw new Error('a good signature was found false');
  }
  const { callersSql } = deps;
  await Promise.all([liveSession(callersSql, ''), isHotkeyBanned(callersSql, '')]);
}

/** Where no more may wait a newcomer is sent away and comes again: that is a wait, too. */
async function strangersTurn({ strangers, clock }: NewcomerDeps): Promise<void> {
  const turn = Promise.withResolvers<void>();
  while (!strangers.add({ destroyed: false }, turn.resolve)) await clock.sleep(againMs);
  await turn.promise;
}
