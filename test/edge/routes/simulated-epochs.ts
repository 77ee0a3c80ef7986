import test from 'ava';
import { okBody } from '../../support/trial-suite.ts';
import { service } from './simulated-service.ts';

const epochSeconds = 360 * 12;

test.serial('a simulated clock says which epoch it is, also after years', async (t) => {
  const validator = await service.validator('epochs validator');
  const ask = async () => {
    const headers = validator.headers();
    const answer = await service.call('GET', '/v1/validator/weight-salt', { headers });
    return (await okBody<{ epoch_index: number }>(answer)).epoch_index;
  };
  const before = await ask();
  t.true(Math.abs(before - Date.now() / 1000 / epochSeconds) < 2);

  await service.advance(3 * epochSeconds);
  const after = await ask();
  t.true(after >= before + 3 && after <= before + 4, `${before} ${after}`);

  const rows = await service.sql<{ epoch: number }[]>`
    select epoch_index::float8 as epoch from epoch_standings order by epoch_index`;
  t.deepEqual(
    rows.map(({ epoch }) => epoch),
    [before, after],
  );
});
