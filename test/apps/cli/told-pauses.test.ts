import test, { type ExecutionContext } from 'ava';
import type { Call } from '../../../apps/cli/client/call.ts';
import { Refusal } from '../../../apps/cli/client/refusal.ts';
import { sender } from '../../../apps/cli/client/send.ts';
import { systemClock } from '../../../infra/clock/system-clock.ts';
import { listening } from '../../support/listening.ts';

const read: Call = { method: 'GET', path: '/things', proof: 'none', query: [] };
/** Far beyond any pause: what sleeps as long waits for an answer. */
const timeoutMs = 600_000;

/** Asks a service that refuses as told, one answer after the other, and then succeeds: the pauses between. */
async function pausesAt(
  t: ExecutionContext,
  refusals: readonly { readonly status: number; readonly retryAfter?: string }[],
  patienceMs = 60_000,
) {
  let turn = 0;
  const { origin: baseUrl } = await listening(t, (_request, response) => {
    const refused = refusals[turn];
    turn += 1;
    response.writeHead(refused?.status ?? 200, {
      'content-type': 'application/json',
      ...(refused?.retryAfter !== undefined && { 'retry-after': refused.retryAfter }),
    });
    response.end('{}');
  });
  const pauses: number[] = [];
  let passedMs = 0;
  const clock = {
    ...systemClock,
    monotonicMs: () => passedMs,
    sleep: async (ms: number, signal?: AbortSignal) => {
      if (ms > timeoutMs / 2) return await systemClock.sleep(ms, signal);
      passedMs += ms;
      pauses.push(ms);
    },
  };
  const send = sender({ baseUrl, clock, patienceMs, timeoutMs });
  const error = await send(read, {}).then(
    () => undefined,
    (refused: unknown) => refused,
  );
  return { pauses, error, asked: turn };
}

test('who is told when to come back comes then, and soon again where that is long', async (t) => {
  const { pauses, error } = await pausesAt(t, [
    { status: 503, retryAfter: '3' },
    { status: 503, retryAfter: '3600' },
  ]);

  t.is(error, undefined);
  t.deepEqual(pauses, [3_000, 5_000]);
});

test('who is told nothing waits twice as long after each refusal, up to five seconds', async (t) => {
  const { pauses } = await pausesAt(
    t,
    Array.from({ length: 8 }, () => ({ status: 503 })),
  );

  t.deepEqual(pauses, [100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000]);
});

test('nobody waits beyond his patience for an answer that comes no sooner', async (t) => {
  const { pauses, error, asked } = await pausesAt(t, [{ status: 503, retryAfter: '4' }], 3_000);

  t.true(error instanceof Refusal);
  t.deepEqual([pauses, asked], [[], 1]);
});

test('a refusal that no waiting mends is told at once', async (t) => {
  for (const status of [400, 404, 409, 429, 500]) {
    const { pauses, error } = await pausesAt(t, [{ status, retryAfter: '1' }]);
    t.true(error instanceof Refusal, String(status));
    t.deepEqual(pauses, [], String(status));
  }
});
