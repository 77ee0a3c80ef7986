import test from 'ava';
import { NonceLedger } from '../../../apps/edge/auth/nonce-ledger.ts';
import type { CommandBus, RequestBudget } from '../../../infra/ports/bus.ts';
import { ManualClock } from '../../support/manual-clock.ts';

/** A service that answers when it is told to; every nonce is fresh. */
function world() {
  const clock = new ManualClock();
  const asked: { size: number; id: string; budget: RequestBudget | undefined; answer(): void }[] =
    [];
  const bus: CommandBus = {
    command: () => Promise.reject(new Error('no partition is asked')),
    call: async (_service, { id, body }, budget) => {
      const { nonces } = body as { nonces: readonly unknown[] };
      const { promise, resolve } = Promise.withResolvers<void>();
      asked.push({ size: nonces.length, id, budget, answer: resolve });
      await promise;
      return { fresh: nonces.map(() => true) };
    },
  };
  const ledger = new NonceLedger(bus, clock);
  const use = (at: number, untilMs?: number) =>
    ledger.take({ hotkey: 'key', nonce: `${at}`, untilMs });
  return { clock, asked, use };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test('who waits for an outage to pass has the time that is left, and the others the usual', async (t) => {
  const { clock, asked, use } = world();
  const nowMs = clock.nowMs();
  const taken = [use(1), use(2, nowMs + 24_000), use(3, nowMs + 25_000), use(4)];
  await settled();

  t.deepEqual(
    asked.map(({ size, budget }) => [size, budget]),
    [
      [2, { isQuick: true }],
      [2, { budgetMs: 25_000, isPatient: true, isQuick: true }],
    ],
  );
  for (const { answer } of asked) answer();
  t.deepEqual(await Promise.all(taken), [true, true, true, true]);
});

test('however many sit an outage out, the others have their turn', async (t) => {
  const { clock, asked, use } = world();
  for (let count = 0; count < 20; count += 1) {
    void use(count, clock.nowMs() + 25_000);
    await settled();
  }
  const before = asked.length;
  const taken = use(1_000);
  await settled();

  t.is(asked.length, before + 1);
  asked.at(-1)?.answer();
  t.true(await taken);
});

// They waited for as long as the first ones did, and everybody who came after them with them.
test('who finds no place in a batch does not wait for that batch', async (t) => {
  const { clock, asked, use } = world();
  const taken = Array.from({ length: 300 }, (_, at) => use(at));
  await settled();
  t.deepEqual(
    asked.map(({ size }) => size),
    [256],
  );
  await clock.advance(15);
  await settled();
  t.deepEqual(
    asked.map(({ size }) => size),
    [256, 44],
  );
  asked[1]?.answer();
  t.true(await taken[299]);
  asked[0]?.answer();
  await Promise.all(taken);
});
