import test from 'ava';
import { createRetention } from '../../../actors/services/retention/retention.actor.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { silentLogger } from '../../support/silent-telemetry.ts';

test('a backlog goes in one round, and one that grows faster ends the round all the same', async (t) => {
  const clock = new ManualClock();
  let [backlog, endless] = [23_000, 0];
  const sweeps = {
    backlog: async (limit: number) => {
      const count = Math.min(limit, backlog);
      backlog -= count;
      return count;
    },
    endless: async (limit: number) => {
      endless += limit;
      return limit;
    },
  };
  const retention = createRetention({ sweeps, clock, log: silentLogger });
  await retention.start();
  await clock.advance(10_000);
  await retention.stop();
  t.is(backlog, 0);
  t.true(endless >= 250_000 && endless <= 500_000, `${endless}`);
});

test('what cannot be deleted is named, and keeps nothing else from being deleted', async (t) => {
  const clock = new ManualClock();
  const error = new Error('this table is locked');
  const swept: string[] = [];
  const sweeps = {
    nonces: async () => {
      throw error;
    },
    answers: async () => {
      swept.push('answers');
      return 0;
    },
  };
  const warned: unknown[] = [];
  const log = { ...silentLogger, warn: (_: string, fields?: object) => warned.push(fields) };
  const retention = createRetention({ sweeps, clock, log });
  await retention.start();
  await clock.advance(10_000);
  await retention.stop();

  t.deepEqual(swept, ['answers']);
  t.deepEqual(warned, [{ what: 'nonces', error }]);
});
