import test from 'ava';
import { type NewcomerDeps, newcomersWay } from '../../../apps/edge/auth/newcomer.ts';
import { StrangersQueue } from '../../../apps/edge/middleware/strangers-queue.ts';
import { createVerifierPool } from '../../../infra/crypto/sr25519-verifier.ts';
import { decodeHotkey } from '../../../infra/crypto/ss58.ts';
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
  const uses: { readonly hotkey: string; readonly nonce: string }[] = [];
  const deps: NewcomerDeps = {
    strangers: {
      add: (_lane, _socket, begin) => {
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
    nonces: {
      take: async (use) => {
        uses.push(use);
        return true;
      },
    },
    ...{ callersSql, clock, key: 'edge:a' },
    ...change,
  };
  return { clock, reads, told, uses, way: newcomersWay(deps) };
}

const settled = () => new Promise(setImmediate);

/** Whether it is over by now. */
function watched(step: Promise<unknown>): () => boolean {
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  step.then(over, () => undefined);
  return () => isOver;
}

test('a newcomer takes a turn, shows a signature, and is looked up, in this order', async (t) => {
  const { reads, told, way } = world();
  await way.turn();
  const proof = way.proof();
  const isProved = watched(proof);
  await settled();
  t.deepEqual(told, ['turn', 'signature', 'read', 'read']);
  reads[0]?.resolve([]);
  await settled();
  t.false(isProved(), 'both reads are waited for');
  reads[1]?.resolve([]);
  await t.notThrowsAsync(proof);
});

test('a newcomer leaves another nonce each time, under a key that no caller can have', async (t) => {
  const { uses, way } = world();
  await way.nonce();
  await way.nonce();
  t.deepEqual(
    uses.map(({ hotkey }) => hotkey),
    ['edge:a', 'edge:a'],
  );
  t.is(new Set(uses.map(({ nonce }) => nonce)).size, 2);
  t.is(decodeHotkey('edge:a'), undefined);

  const used = world({ nonces: { take: async () => false } });
  await t.throwsAsync(used.way.nonce(), { message: /nonce/ });
});

test('who is sent away from a full queue comes again until there is a place', async (t) => {
  let isFull = true;
  const { clock, way } = world({
    strangers: {
      add: (_lane, _socket, begin) => {
        if (!isFull) begin();
        return !isFull;
      },
    },
  });
  const isIn = watched(way.turn());
  await clock.advance(10_000);
  t.false(isIn());
  isFull = false;
  await clock.advance(50);
  t.true(isIn());
});

test('what would be a 503 to a caller is a failure', async (t) => {
  const unread = world();
  const proof = unread.way.proof();
  await settled();
  for (const read of unread.reads) read.reject(new Error('no database'));
  await t.throwsAsync(proof, { message: 'no database' });

  const overloaded = async () => {
    throw new Error('too many signatures');
  };
  const { way } = world({ verifier: { verify: overloaded } });
  await t.throwsAsync(way.proof(), { message: /signatures/ });

  const full = async () => {
    throw new Error('no room for a nonce');
  };
  await t.throwsAsync(world({ nonces: { take: full } }).way.nonce(), { message: /room/ });
});

test('the signature is a good one, checked as any other', async (t) => {
  const verifier = createVerifierPool({ workers: 1 });
  await verifier.start();
  t.teardown(() => verifier.stop());
  const strangers = new StrangersQueue(() => 0);
  const { reads, way } = world({ verifier, strangers });
  await way.turn();
  const proof = way.proof();
  while (reads.length < 2) await settled();
  for (const read of reads) read.resolve([]);
  await t.notThrowsAsync(proof);
});
