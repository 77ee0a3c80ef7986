import test, { type ExecutionContext } from 'ava';
import { startTestService, type TestService } from '../support/edge.ts';
import { refusal } from '../support/framework.ts';

let service: TestService;
test.before(async () => {
  service = await startTestService({
    env: { PUBLIC_RATE_PER_MINUTE: '20', HOTKEY_RATE_PER_MINUTE: '10' },
  });
});
test.after.always(() => service?.stop());

async function isTurnedAway(t: ExecutionContext, answer: Response): Promise<void> {
  t.is(answer.status, 429);
  t.is((await refusal(answer)).error_code, 'RATE_LIMITED');
  t.regex(answer.headers.get('retry-after') ?? '', /^([1-9]|[1-5][0-9]|60)$/);
}

test.serial('R1: an address has so many requests a minute without credentials', async (t) => {
  const suites = () => service.call('GET', '/v1/public/suites');
  for (let count = 0; count < 18; count++) t.is((await suites()).status, 200);
  t.is((await service.call('POST', '/v1/validator/work/claim')).status, 401);
  t.is((await service.call('POST', '/v1/auth/challenge', { body: {} })).status, 422);
  await isTurnedAway(t, await suites());
  await isTurnedAway(t, await service.call('POST', '/v1/auth/challenge', { body: {} }));
  await isTurnedAway(t, await service.call('POST', '/v1/validator/work/claim'));
  for (const path of ['/health', '/health/deep']) {
    t.is((await service.call('GET', path)).status, 200, 'who keeps us alive is answered');
  }
  t.is((await service.operator('GET', '/v1/admin/overview')).status, 200);
});

test.serial('a key has its own limit, on every route and by both schemes', async (t) => {
  const [one, other] = [await service.miner('rate-1'), await service.miner('rate-2')];
  const agents = '/v1/miner/agents';
  for (let count = 0; count < 10; count++) t.is((await one.get(agents)).status, 200);
  await isTurnedAway(t, await one.get(agents));
  await isTurnedAway(t, await one.post('/v1/miner/submit'));
  t.is((await other.get(agents)).status, 200);
  t.is((await one.request('GET', agents, { headers: { 'x-signature': 'x' } })).status, 401);
});
