import test from 'ava';
import {
  type Probe,
  type ProbeName,
  probeNames,
  Readiness,
  WriteBlocked,
} from '../../apps/edge/readiness.ts';
import { systemClock } from '../../infra/clock/system-clock.ts';
import type { Clock } from '../../infra/ports/clock.ts';
import { ManualClock } from '../support/manual-clock.ts';

const up: Probe = async () => undefined;
const down: Probe = async () => {
  throw new Error('refused');
};
const silent: Probe = () => new Promise(() => undefined);

function readiness(
  probes: Partial<Record<'broker' | 'coordinator' | 'database', Probe>>,
  clock: Clock = systemClock,
) {
  const names = Object.fromEntries(probeNames.map((name) => [name, up]));
  const all = { ...(names as Record<ProbeName, Probe>), ...probes };
  return new Readiness(all, clock);
}

/** So that each attempt is begun at the time at which the one before ended. */
async function pass(clock: ManualClock, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 100) {
    await new Promise(setImmediate);
    await clock.advance(100);
  }
}

test('a process whose neighbours answer is ready, until it drains', async (t) => {
  const ready = readiness({});
  const report = await ready.report();
  t.true(report.isReady);
  t.is(report.probes.database.attempts, 1);
  ready.drain();
  t.like(await ready.report(), { isReady: false, isDraining: true });
});

test('a neighbour that fails is asked once more', async (t) => {
  const report = await readiness({ database: down }).report();
  t.false(report.isReady);
  t.like(report.probes.database, { status: 'failed', attempts: 2 });
  let asked = 0;
  const once: Probe = async () => {
    asked += 1;
    if (asked === 1) throw new Error('refused');
  };
  const second = await readiness({ broker: once }).report();
  t.true(second.isReady);
  t.is(second.probes.broker.attempts, 2);
});

test('a neighbour that says nothing holds the answer up for two seconds at most', async (t) => {
  const clock = new ManualClock();
  const asking = readiness({ coordinator: silent }, clock).report();
  await pass(clock, 2_000);
  const report = await asking;
  t.false(report.isReady);
  t.like(report.probes.coordinator, { status: 'failed', attempts: 2, durationMs: 2_000 });
});

test('what a neighbour says too late is told the next time, until it answers otherwise', async (t) => {
  const clock = new ManualClock();
  const questions: PromiseWithResolvers<void>[] = [];
  const slow: Probe = () => {
    const question = Promise.withResolvers<void>();
    questions.push(question);
    return question.promise;
  };
  const probed = readiness({ database: slow }, clock);
  const reasonOf = async (answer: (asked: (typeof questions)[number] | undefined) => void) => {
    const asking = probed.report();
    await pass(clock, 2_000);
    const { database } = (await asking).probes;
    answer(questions.at(-1));
    await new Promise(setImmediate);
    return database.reason;
  };

  t.is(await reasonOf((asked) => asked?.reject(new WriteBlocked('no login'))), undefined);
  t.is(await reasonOf((asked) => asked?.resolve()), 'no login');
  t.is(await reasonOf(() => questions[0]?.reject(new WriteBlocked('long ago'))), undefined);
  t.is(await reasonOf(() => undefined), undefined, 'an older answer is no news');
  const newest = questions.at(-1);
  t.is(await reasonOf(() => newest?.reject(new WriteBlocked('read-only'))), undefined);
  await pass(clock, 30_000);
  t.is(await reasonOf(() => undefined), undefined, 'it may have changed its mind since');
});

test('a neighbour that answers and takes no write says so, in words for strangers', async (t) => {
  const full: Probe = async () => {
    throw new WriteBlocked('the disk is full');
  };
  const { isReady, probes } = await readiness({ database: full, broker: down }).report();
  t.false(isReady);
  t.like(probes.database, { status: 'failed', reason: 'the disk is full' });
  t.is(probes.broker.reason, undefined, 'what an error says is nobody’s business');
});

test('a crowd that asks at once costs the neighbours one question, the next one another', async (t) => {
  let asked = 0;
  const gate = Promise.withResolvers<void>();
  const counting = readiness({
    database: async () => {
      asked += 1;
      await gate.promise;
    },
  });
  const crowd = Array.from({ length: 1000 }, () => counting.report());
  gate.resolve();
  t.true((await Promise.all(crowd)).every(({ isReady }) => isReady));
  t.is(asked, 1);
  await counting.report();
  t.is(asked, 2);
});
