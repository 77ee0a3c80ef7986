import { rm } from 'node:fs/promises';
import test from 'ava';
import { startEmbeddedChain } from '../../../infra/chain/embedded/chain-node.ts';
import { systemClock } from '../../../infra/clock/system-clock.ts';
import { startTestService } from '../../support/edge.ts';
import { hurriedClock } from '../../support/hurried-clock.ts';
import { keptGauges } from '../../support/kept-gauges.ts';
import { silentLogger } from '../../support/silent-telemetry.ts';
import { temporaryFolder } from '../../support/temporary-servers.ts';
import { until } from '../../support/until.ts';

const quarterMs = 15 * 60_000;

test('an edge whose chain node stands still says so, until it moves, and stays in use', async (t) => {
  const dataDir = await temporaryFolder();
  t.teardown(() => rm(dataDir, { recursive: true, force: true }));
  const blocks = { ms: Date.now() };
  const node = await startEmbeddedChain({
    ...{ dataDir, netuid: 1 },
    clock: { ...systemClock, nowMs: () => blocks.ms },
  });
  t.teardown(() => node.stop());
  const { clock, moved } = hurriedClock();
  const { telemetry, gauge } = keptGauges();
  const said: string[] = [];
  const say = (message: string) => said.push(message);
  const service = await startTestService({
    env: { CHAIN_RPC_URL: node.url },
    edgeClock: clock,
    log: { ...silentLogger, error: say, info: say },
    telemetry,
  });
  t.teardown(() => service.stop());
  const stalled = () => gauge('paddock.chain.stalled');
  const health = async () => {
    const answer = await service.call('GET', '/health/deep');
    const { probes } = (await answer.json()) as { probes: { chain?: { reason?: string } } };
    return `${answer.status} ${probes.chain?.reason ?? ''}`.trim();
  };
  const validator = await service.validator('validator');
  const epoch = async () => {
    const answer = await validator.get('/v1/validator/weight-salt');
    return answer.status === 200 && ((await answer.json()) as { epoch_index: number }).epoch_index;
  };
  await until(async () => (await epoch()) === 0);
  t.is(await health(), '200');
  t.is(stalled(), 0);

  moved.ms += quarterMs;
  await until(async () => (await health()) === '200 the chain node shows no new block');
  t.is(stalled(), 1);
  t.is(await epoch(), 0, 'what is known is served');

  blocks.ms += 6 * quarterMs;
  await until(async () => (await health()) === '200');
  t.is(stalled(), 0);
  await until(async () => (await epoch()) === 1);
  t.deepEqual(
    said.filter((message) => message.startsWith('the chain ')),
    ['the chain does not say any more which epoch it is', 'the chain says again which epoch it is'],
  );
});
