import test from 'ava';
import { startTestService, type TestService } from '../../support/edge.ts';
import { okBody } from '../../support/trial-suite.ts';

const epochSeconds = 360 * 12;

let service: TestService;
test.before(async () => {
  service = await startTestService({ env: { CLOCK: 'simulated' } });
});
test.after.always(() => service?.stop());

test('a simulated clock says which epoch it is, also after years', async (t) => {
  const validator = await service.validator('validator');
  const ask = async (offsetSeconds: number) => {
    const headers = validator.headers({ offsetSeconds });
    const answer = await service.call('GET', '/v1/validator/weight-salt', { headers });
    return (await okBody<{ epoch_index: number }>(answer)).epoch_index;
  };
  const before = await ask(0);
  t.true(Math.abs(before - Date.now() / 1000 / epochSeconds) < 2);

  const body = { seconds: 3 * epochSeconds };
  await okBody(await service.operator('POST', '/v1/admin/clock/advance', { body }));
  const after = await ask(body.seconds);
  t.true(after >= before + 3 && after <= before + 4, `${before} ${after}`);

  const rows = await service.sql<{ epoch: number }[]>`
    select epoch_index::float8 as epoch from epoch_standings order by epoch_index`;
  t.deepEqual(
    rows.map(({ epoch }) => epoch),
    [before, after],
  );
});
