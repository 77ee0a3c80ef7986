import test from 'ava';
import fc from 'fast-check';
import { createRates } from '../../../apps/edge/rates/rates.ts';
import type { SharedRate } from '../../../apps/edge/rates/shared-rate.ts';
import type { EdgePeers } from '../../../infra/ports/edge-peers.ts';
import { Fault } from '../../../machines/fault.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const limits = {
  publicRatePerMinute: 100,
  challengeRatePerMinute: 10,
  sessionRatePerMinute: 5,
  hotkeyRatePerMinute: 600,
};

type Reply = Parameters<EdgePeers['answer']>[0];

/** Edges that reach each other through the process's own queue, and know who is there. */
function edgesNamed(names: readonly string[], delays: () => number = () => 0) {
  const clock = new ManualClock();
  const replies = new Map<string, Reply>();
  const live = new Set(names);
  const unreachable = new Set<string>();
  const asked: string[] = [];
  const rates = names.map((self) => {
    const peers: EdgePeers = {
      self,
      get names() {
        return [...live];
      },
      answer: (reply) => void replies.set(self, reply),
      ask: async (edge, question) => {
        asked.push(question);
        for (let turns = delays(); turns > 0; turns--) await undefined;
        return unreachable.has(edge) ? undefined : replies.get(edge)?.(question);
      },
    };
    return createRates(limits, { clock, peers });
  });
  return { asked, clock, live, rates, replies, unreachable };
}

async function passes(rate: Pick<SharedRate, 'take'> | undefined, key: string) {
  try {
    await rate?.take(key);
    return rate !== undefined;
  } catch (error) {
    if (error instanceof Fault && error.code === 'RATE_LIMITED') return false;
    throw error;
  }
}

test('as many pass as may, whichever edges are asked at once and in whatever order they agree', async (t) => {
  const history = fc.record({
    edges: fc.integer({ min: 1, max: 5 }),
    turns: fc.array(fc.nat({ max: 4 }), { minLength: 101, maxLength: 250 }),
    delays: fc.infiniteStream(fc.nat({ max: 6 })),
    key: fc.ipV4(),
  });
  await fc.assert(
    fc.asyncProperty(history, async ({ edges, turns, delays, key }) => {
      const names = Array.from({ length: edges }, (_, index) => `edge-${index}`);
      const { rates } = edgesNamed(names, () => delays.next().value ?? 0);
      const passed = await Promise.all(
        turns.map((turn) => passes(rates[turn % edges]?.anonymous, key)),
      );
      t.is(passed.filter(Boolean).length, limits.publicRatePerMinute);
    }),
    { numRuns: 40 },
  );
});

test('limits of several names and keys do not touch each other', async (t) => {
  const { rates } = edgesNamed(['a', 'b', 'c']);
  const [one, other] = rates;
  for (let count = 0; count < 5; count++) t.true(await passes(one?.session, '192.0.2.1'));
  t.false(await passes(other?.session, '192.0.2.1'));
  t.true(await passes(other?.session, '192.0.2.2'));
  t.true(await passes(other?.challenge, '192.0.2.1'));
});

test('a refusal is remembered, not asked for again, until the minute is over', async (t) => {
  const { asked, clock, rates } = edgesNamed(['a', 'b', 'c', 'd', 'e']);
  const [one] = rates;
  for (const key of ['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4', '192.0.2.5']) {
    for (let count = 0; count < 5; count++) t.true(await passes(one?.session, key));
    t.false(await passes(one?.session, key));
    const before = asked.length;
    t.false(await passes(one?.session, key));
    t.is(asked.length, before);
  }
  t.true(asked.length > 0, 'some of the keys are counted elsewhere');
  await clock.advance(60_000);
  t.true(await passes(one?.session, '192.0.2.1'));
});

test('a look takes nothing, asks nobody, and throws once this edge knows of a refusal', async (t) => {
  const { asked, clock, rates } = edgesNamed(['a', 'b', 'c', 'd', 'e']);
  const rate = rates[0]?.session;
  const mayPass = (key: string) => passes({ take: async () => rate?.look(key) }, key);
  for (const key of ['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4', '192.0.2.5']) {
    for (let count = 0; count < 5; count++) {
      t.true(await mayPass(key));
      t.true(await passes(rate, key));
    }
    t.false(await passes(rate, key));
    const before = asked.length;
    t.false(await mayPass(key));
    t.is(asked.length, before);
  }
  t.true(asked.length > 0, 'some of the keys are counted elsewhere');
  await clock.advance(60_000);
  t.true(await mayPass('192.0.2.1'));
});

test('how long to wait is told in whole seconds, 1 to 60', async (t) => {
  const { clock, rates } = edgesNamed(['a']);
  const take = () => rates[0]?.session.take('192.0.2.1');
  for (let count = 0; count < 5; count++) await take();
  const seconds = async () => {
    const refusal = await t.throwsAsync(async () => take(), { instanceOf: Fault });
    return refusal?.extras['retry_after_seconds'];
  };
  t.is(await seconds(), 60);
  await clock.advance(30_500);
  t.is(await seconds(), 30);
  await clock.advance(29_499);
  t.is(await seconds(), 1);
  await clock.advance(1);
  await t.notThrowsAsync(async () => take());
});

test('an edge that cannot ask counts itself', async (t) => {
  const { rates, unreachable } = edgesNamed(['a', 'b']);
  unreachable.add('a').add('b');
  for (const rate of rates) {
    for (let count = 0; count < 5; count++) t.true(await passes(rate.session, '192.0.2.1'));
    t.false(await passes(rate.session, '192.0.2.1'));
  }
});

test('with an edge that is gone its keys are counted by the others', async (t) => {
  const { live, rates } = edgesNamed(['a', 'b', 'c']);
  live.delete('c');
  let passed = 0;
  for (let count = 0; count < 20; count++) {
    if (await passes(rates[count % 2]?.session, '192.0.2.1')) passed += 1;
  }
  t.is(passed, 5);
});

test('a question or a verdict that makes no sense does no harm', async (t) => {
  const { rates, replies } = edgesNamed(['a', 'b']);
  for (const question of ['', ' ', 'session', 'session ', 'nothing 192.0.2.1', ' 192.0.2.1']) {
    t.is(replies.get('a')?.(question), undefined, question);
  }
  for (const verdict of ['', 'yes', '-1', 'NaN', '1e9']) {
    for (const name of ['a', 'b']) replies.set(name, () => verdict);
    t.true(await passes(rates[0]?.anonymous, `192.0.2.7${verdict}`), verdict);
  }
});
