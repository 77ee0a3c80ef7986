import test from 'ava';
import { isRaceReleased } from '../../../machines/race/release.ts';

test('the detail of a race is sealed until it is complete and its embargo over', (t) => {
  const complete = { status: 'RACE_COMPLETE', releasedAtMs: 1000 };

  t.false(isRaceReleased(complete, 999));
  t.true(isRaceReleased(complete, 1000));
});

test('no other race releases anything, a cancelled one never', (t) => {
  for (const status of ['QUALIFYING_OPEN', 'QUALIFYING_CLOSED', 'RACE_RUNNING', 'RACE_CANCELLED']) {
    t.false(isRaceReleased({ status, releasedAtMs: null }, Number.MAX_SAFE_INTEGER));
    t.false(isRaceReleased({ status, releasedAtMs: 0 }, Number.MAX_SAFE_INTEGER));
  }
  t.false(isRaceReleased({ status: 'RACE_COMPLETE', releasedAtMs: null }, 1));
});
