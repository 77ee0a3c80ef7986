import test from 'ava';
import type { EdgeDeps } from '../../apps/edge/deps.ts';
import { untilCarriedOut } from '../../apps/edge/operator/order-actor.ts';
import { systemClock } from '../../infra/clock/system-clock.ts';

test('nobody looks any more for what became of an order whose operator left', async (t) => {
  let looks = 0;
  const hasLooked = Promise.withResolvers<void>();
  const findsNothing = async () => {
    looks += 1;
    hasLooked.resolve();
    return [];
  };
  const deps = { clock: systemClock, sql: findsNothing as unknown as EdgeDeps['sql'] };
  const ticket = { kind: 'eval', part: 1, msgId: 'an order' } as const;
  const gone = new AbortController();
  const context = { deadlineMs: systemClock.nowMs() + 60_000, signal: gone.signal };

  const waiting = untilCarriedOut(deps, [ticket], context);
  await hasLooked.promise;
  const before = looks;
  const reason = new Error('the client is gone');
  gone.abort(reason);

  t.is(await t.throwsAsync(waiting), reason);
  t.true(looks <= before + 1, `${looks - before} looks after it had left`);
});
