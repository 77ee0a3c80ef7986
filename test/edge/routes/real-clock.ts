import test from 'ava';
import { okBody } from '../../support/trial-suite.ts';
import { refused } from './answers.ts';
import { service } from './runs-service.ts';

test.serial('the real clock is shown and moved by nobody', async (t) => {
  const body = { seconds: 60 };
  const answer = await service.operator('POST', '/v1/admin/clock/advance', { body });
  await refused(t, answer, '409 CLOCK_IS_REAL');

  const path = '/v1/admin/clock';
  const shown = await okBody<{ clock: string; now: string }>(await service.operator('GET', path));
  t.is(shown.clock, 'real');
  t.true(Math.abs(Date.parse(shown.now) - Date.now()) < 5_000);
});
