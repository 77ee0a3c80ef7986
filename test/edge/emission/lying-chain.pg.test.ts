import { rm } from 'node:fs/promises';
import test, { type ExecutionContext } from 'ava';
import { startEmbeddedChain } from '../../../infra/chain/embedded/chain-node.ts';
import { systemClock } from '../../../infra/clock/system-clock.ts';
import { startTestService } from '../../support/edge.ts';
import { temporaryFolder } from '../../support/temporary-servers.ts';
import { until } from '../../support/until.ts';

const epochMs = 4_320_000;
const yearMs = 365 * 86_400_000;

/** A chain node whose blocks are as many ahead as it is told; a liar does not go back on its word. */
async function tellableChain(t: ExecutionContext) {
  const dataDir = await temporaryFolder();
  t.teardown(() => rm(dataDir, { recursive: true, force: true }));
  const start = (aheadMs: number, port?: number) => {
    const clock = { ...systemClock, nowMs: () => systemClock.nowMs() + aheadMs };
    return startEmbeddedChain({
      dataDir,
      netuid: 1,
      clock,
      ...(port === undefined ? {} : { port }),
    });
  };
  let node = await start(0);
  t.teardown(() => node.stop());
  return {
    url: node.url,
    say: async (aheadMs: number) => {
      const { port } = node;
      await node.stop();
      node = await start(aheadMs, port);
    },
  };
}

test('a chain node that is wrong once stops the standings only for as long as it is wrong', async (t) => {
  const chain = await tellableChain(t);
  const service = await startTestService({ env: { CHAIN_RPC_URL: chain.url } });
  t.teardown(() => service.stop());
  const validator = await service.validator('validator');
  const ask = async () => {
    const answer = await validator.get('/v1/validator/weight-salt');
    const body = (await answer.json()) as { epoch_index?: number; error_code?: string };
    return `${answer.status} ${body.epoch_index ?? body.error_code}`;
  };
  const isTold = (told: string) => until(async () => (await ask()) === told);
  await isTold('200 0');

  await chain.say(yearMs);
  await isTold('503 CHAIN_UNAVAILABLE');
  await chain.say(epochMs);
  await isTold('200 1');
  const rows = await service.sql<{ epoch: number }[]>`
    select epoch_index::integer as epoch from epoch_standings order by epoch_index`;
  t.deepEqual(
    rows.map(({ epoch }) => epoch),
    [0, 1],
  );
});
