import { randomId } from '../../../infra/ids/ids.ts';
import type { Clock } from '../../../infra/ports/clock.ts';
import type { SignatureVerifier } from '../../../infra/ports/signatures.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import type { StrangersQueue } from '../middleware/strangers-queue.ts';
import { bannedHotkeys, liveSessions } from '../reads/callers.ts';
import type { NonceLedger } from './nonce-ledger.ts';

export interface NewcomerDeps {
  readonly strangers: Pick<StrangersQueue, 'add'>;
  readonly verifier: SignatureVerifier;
  /** Over the connections that callers are read over. */
  readonly callersSql: Sql;
  /** The very one that takes the nonces of callers. */
  readonly nonces: Pick<NonceLedger, 'take'>;
  /** Of this edge, and no SS58 address: what it leaves stands in no caller's way. */
  readonly key: string;
  readonly clock: Pick<Clock, 'sleep'>;
}

/** In the order of its steps; each rejects where a caller would get a 503. */
export interface NewcomersWay {
  /** A place among strangers. */
  turn(): Promise<void>;
  /** A signature, and what the database says of callers: so far a session comes as well. */
  proof(): Promise<void>;
  /** What a signed request leaves. */
  nonce(): Promise<void>;
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
 * The way of somebody who proved nothing lately, and as long: a turn among strangers, a signature, what
 * the database says of callers, a nonce that is kept as any other and goes with age. The chain is not
 * asked, and what turns a newcomer away during a flood of false signatures does not turn this one away.
 */
export function newcomersWay(deps: NewcomerDeps): NewcomersWay {
  return {
    turn: () => strangersTurn(deps),
    async proof() {
      if (!(await deps.verifier.verify(message, signature, publicKey))) {
        throw new Error('a good signature was found false');
      }
      const { callersSql } = deps;
      await Promise.all([liveSessions(callersSql, ['']), bannedHotkeys(callersSql, [''])]);
    },
    async nonce() {
      const isFresh = await deps.nonces.take({ hotkey: deps.key, nonce: randomId() });
      if (!isFresh) throw new Error('a fresh nonce was found used');
    },
  };
}

/** Where no more may wait a newcomer is sent away and comes again: that is a wait, too. */
async function strangersTurn({ strangers, clock }: NewcomerDeps): Promise<void> {
  const turn = Promise.withResolvers<void>();
  while (!strangers.add('proof', { destroyed: false }, turn.resolve)) await clock.sleep(againMs);
  await turn.promise;
}
