import { rm } from 'node:fs/promises';
import test from 'ava';
import { startEmbeddedChain } from '../../infra/chain/embedded/chain-node.ts';
import { systemClock } from '../../infra/clock/system-clock.ts';
import { startProxy } from '../chaos/net/proxy.ts';
import { startTestService } from '../support/edge.ts';
import { temporaryFolder } from '../support/temporary-servers.ts';
import { until } from '../support/until.ts';

const route = '/v1/validator/weight-salt';

test('without its chain an edge is red while it knows nobody, and no longer', async (t) => {
  const dataDir = await temporaryFolder();
  t.teardown(() => rm(dataDir, { recursive: true, force: true }));
  const node = await startEmbeddedChain({ dataDir, netuid: 1, clock: systemClock });
  t.teardown(() => node.stop());
  const proxy = await startProxy(() => node.port);
  t.teardown(() => proxy.stop());
  const cutOff = () => {
    proxy.refuse();
    proxy.cut();
  };
  // Ready, although nobody is registered and nobody ever proved anything.
  const service = await startTestService({
    env: { CHAIN_RPC_URL: `http://127.0.0.1:${proxy.port}`, CHAIN_CACHE_SECONDS: '1' },
  });
  t.teardown(() => service.stop());
  const health = async () => {
    const answer = await service.call('GET', '/health/deep');
    const { probes } = (await answer.json()) as { probes: { admission?: { reason?: string } } };
    return `${answer.status} ${probes.admission?.reason ?? ''}`.trim();
  };
  const red = '503 no caller is known, and the chain does not answer';

  cutOff();
  // Nobody has to be refused for it.
  await until(async () => (await health()) === red);
  proxy.clear();
  await until(async () => (await health()) === '200');

  const validator = await service.validator('validator');
  const isLetIn = async () => (await validator.get(route)).status === 200;
  await until(isLetIn);
  cutOff();
  const stranger = service.stranger('stranger');
  await until(async () => /CHAIN_UNAVAILABLE/.test(await (await stranger.get(route)).text()));
  t.true(await isLetIn(), 'the known go on');
  t.is(await health(), '200');
});
