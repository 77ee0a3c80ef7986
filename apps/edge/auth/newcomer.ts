import type { SignatureVerifier } from '../../../infra/ports/signatures.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import type { StrangersQueue } from '../middleware/strangers-queue.ts';
import { isHotkeyBanned, liveSession } from '../reads/callers.ts';

export interface NewcomersWay {
  readonly strangers: Pick<StrangersQueue, 'add'>;
  readonly verifier: SignatureVerifier;
  /** Over the connections that callers are read over. */
  readonly callersSql: Sql;
}

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
 * Goes the way of somebody who proved nothing lately, up to where only the chain and the broker are
 * left to be asked, and takes as long: a turn among strangers, a signature, what the database says of
 * callers. Rejects where such a one would be answered 503.
 */
export async function newcomersWay({ strangers, verifier, callersSql }: NewcomersWay) {
  // Where no more may wait one is turned away at once, which is no wait.
  await new Promise<void>((resolve) => {
    if (!strangers.add({ destroyed: false }, resolve)) resolve();
  });
  if (!(await verifier.verify(message, signature, publicKey))) {
    throw new Error('a good signature was found false');
  }
  await Promise.all([liveSession(callersSql, ''), isHotkeyBanned(callersSql, '')]);
}
