import test from 'ava';
import { goNewcomersWay, type NewcomerDeps } from '../../../apps/edge/auth/newcomer.ts';
import { StrangersQueue } from '../../../apps/edge/middleware/strangers-queue.ts';
import { createVerifierPool } from '../../../infra/crypto/sr25519-verifier.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import { ManualClock } from '../../support/manual-clock.ts';

function world(change: Partial<NewcomerDeps> = {}) {
  const told: string[] = [];
  const reads: PromiseWithResolvers<readonly unknown[]>[] = [];
  // All that is asked of it: two statements.
  const callersSql = (() => {
    told.push('read');
    const answer = Promise.withResolvers<readonly unknown[]>();
    reads.push(answer);
    return answer.promise;
  }) as unknown as Sql;
  const clock = new ManualClock();
  const deps: NewcomerDeps = {
    strangers: {
      add: (_socket, begin) => {
        told.push('turn');
        begin();
        return true;
      },
    },
    verifier: {
      verify: async () => {
        told.push('signature');
        return true;
      },
    },
    ...{ callersSql, clock },
    ...change,
  };
  const way = goNewcomersWay(deps);
  let isIn = false;
  way.then(
    () => {
      isIn = true;
    },
    () => undefined,
  );
  return { clock, isIn: () => isIn, reads, told, way };
}

const settled = () => new Promise(setImmediate);

test('a newcomer takes a turn, shows a signature, and is looked up, in this order', async (t) => {
  const { isIn, reads, told, way } = world();
  await settled();
  t.deepEqual(told, ['turn', 'signature', 'read', 'read']);
  reads[0]?.resolve([]);
  await settled();
  t.false(isIn(), 'both reads are waited for');
  reads[1]?.resolve([]);
  await t.notThrowsAsync(way);
});

test('who is sent away from a full queue comes again until there is a place', async (t) => {
  let isFull = true;
  const { clock, told } = world({
    strangers: {
      add: (_socket, begin) => {
        if (!isFull) begin();
        return !isFull;
      },
    },
  });
  await clock.advance(10_000);
  t.deepEqual(told, []);
  isFull = false;
  await clock.advance(50);
  t.deepEqual(told, ['signature', 'read', 'read']);
});

test('what would be a 503 to a caller is a failure', async (t) => {
  const unread = world();
  await settled();
  for (const read of unread.reads) read.reject(new Error('no database'));
  await t.throwsAsync(unread.way, { message: 'no database' });

  const overloaded = async () => {
    throw new Error('too many signatures');
  };
  await t.throwsAsync(world({ verifier: { verify: overloaded } }).way, { message: /signatures/ });
});

test('the signature is a good one, checked as any other', async (t) => {
  const verifier = createVerifierPool({ workers: 1 });
  await verifier.start();
  t.teardown(() => verifier.stop());
  const strangers = new StrangersQueue(() => 0);
  const { reads, way } = world({ verifier, strangers });
  while (reads.length < 2) await settled();
  for (const read of reads) read.resolve([]);
  await t.notThrowsAsync(way);
});
