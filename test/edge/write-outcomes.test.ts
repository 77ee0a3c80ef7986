import test from 'ava';
import { WriteOutcomes } from '../../apps/edge/write-outcomes.ts';
import type { CommandBus, RequestBudget } from '../../infra/ports/bus.ts';
import { Fault, type FaultCode } from '../../machines/fault.ts';
import { ManualClock } from '../support/manual-clock.ts';

/** A bus whose answers are told beforehand, and what was logged. */
function world() {
  const clock = new ManualClock();
  const warned: unknown[] = [];
  const outcomes = new WriteOutcomes(clock, { warn: (_, fields) => warned.push(fields) });
  let outcome: FaultCode | 'taken' = 'taken';
  const answer = async () => {
    if (outcome !== 'taken') throw new Fault(outcome, 'told');
    return {};
  };
  const bus: CommandBus = { command: answer, call: answer };
  const watched = outcomes.watched(bus);
  const sent = (type: string) => ({ id: 'id', type, body: {}, account: 'system' });
  const tell = async (told: typeof outcome, ask: () => Promise<unknown>) => {
    outcome = told;
    await ask().catch(() => undefined);
  };
  return {
    ...{ clock, outcomes, warned },
    part: (part: number, told: typeof outcome, type = 'claim-work', budget?: RequestBudget) =>
      tell(told, () => watched.command({ kind: 'eval', part }, sent(type), budget)),
    service: (name: string, type: string, told: typeof outcome) =>
      tell(told, () => watched.call(name, sent(type))),
  };
}

type World = ReturnType<typeof world>;

/** Three in a row of one partition, over three seconds. */
async function failing({ clock, part }: World, code: FaultCode, budget?: RequestBudget) {
  for (let count = 0; count < 3; count += 1) {
    if (count > 0) await clock.advance(1_500);
    await part(3, code, 'claim-work', budget);
  }
}

for (const code of ['OUTCOME_UNKNOWN', 'OWNER_UNAVAILABLE', 'STORE_UNAVAILABLE'] as const) {
  test(`one partition that answers nothing but ${code} is seen, whatever else is taken`, async (t) => {
    const it = world();
    for (let count = 0; count < 3; count += 1) {
      t.false(it.outcomes.isFailing);
      await it.part(3, code);
      await it.part(4, 'taken');
      await it.service('presence', 'report-validators', 'taken');
      await it.clock.advance(1_500);
    }
    t.true(it.outcomes.isFailing);
    t.deepEqual(it.warned, [{ target: 'eval 3' }], 'once');
    await it.part(3, 'taken');
    t.false(it.outcomes.isFailing);
  });
}

test('nonces that are not taken are seen beside other questions of the same service', async (t) => {
  const { clock, outcomes, service } = world();
  for (let count = 0; count < 4; count += 1) {
    await service('auth', 'record-nonces', 'STORE_UNAVAILABLE');
    await service('auth', 'keep-challenge', 'taken');
    await clock.advance(1_000);
  }
  t.true(outcomes.isFailing);
});

test('neither a heartbeat nor a refusal shows that anything can be written', async (t) => {
  const it = world();
  await failing(it, 'OUTCOME_UNKNOWN');
  await it.part(3, 'taken', 'heartbeat');
  await it.part(3, 'RACE_LOCKED');
  t.true(it.outcomes.isFailing);
});

test('what was cut off at one moment is no outage that lasts', async (t) => {
  const { clock, outcomes, part } = world();
  for (let count = 0; count < 50; count += 1) await part(3, 'OUTCOME_UNKNOWN');
  t.false(outcomes.isFailing);
  await clock.advance(2_999);
  await part(3, 'OUTCOME_UNKNOWN');
  t.false(outcomes.isFailing);
  await clock.advance(1);
  await part(3, 'OUTCOME_UNKNOWN');
  t.true(outcomes.isFailing);
});

test('a flooded partition and whatever a caller does wrong turn nothing red', async (t) => {
  for (const code of ['OVERLOADED', 'LEASE_EXPIRED', 'INTERNAL_ERROR'] as const) {
    const it = world();
    await failing(it, code);
    t.false(it.outcomes.isFailing, code);
  }
});

test('who left himself no time, or asked for a secret or a provider, says nothing of us', async (t) => {
  for (const budget of [{ budgetMs: 4_999 }, { attemptMs: 9_500 }]) {
    const it = world();
    await failing(it, 'OUTCOME_UNKNOWN', budget);
    t.false(it.outcomes.isFailing);
  }
  const it = world();
  await failing(it, 'OUTCOME_UNKNOWN', { budgetMs: 5_000, isPatient: true });
  t.true(it.outcomes.isFailing);
});

test('an edge that is asked no more comes back by itself, and the next failure is enough', async (t) => {
  const it = world();
  await failing(it, 'OUTCOME_UNKNOWN');
  await it.clock.advance(9_999);
  t.true(it.outcomes.isFailing);
  await it.clock.advance(1);
  t.false(it.outcomes.isFailing);
  await it.clock.advance(40_000);
  await it.part(3, 'OUTCOME_UNKNOWN');
  t.true(it.outcomes.isFailing);

  await it.clock.advance(60_000);
  await it.part(3, 'OUTCOME_UNKNOWN');
  t.false(it.outcomes.isFailing, 'of another time');
});
