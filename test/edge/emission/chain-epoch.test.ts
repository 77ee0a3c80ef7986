import test from 'ava';
import { ChainEpoch } from '../../../apps/edge/emission/chain-epoch.ts';
import { ChainUnavailable } from '../../../infra/ports/chain.ts';
import { ManualClock } from '../../support/manual-clock.ts';

function world() {
  const clock = new ManualClock();
  const node = { block: 720 as number | undefined, asked: 0 };
  const chain = {
    blockNumber: async () => {
      node.asked += 1;
      if (node.block === undefined) throw new ChainUnavailable('away');
      return node.block;
    },
  };
  return { clock, node, epoch: new ChainEpoch(chain, clock, 360) };
}

test('the node is asked once in six seconds, however many want to know', async (t) => {
  const { clock, node, epoch } = world();

  t.deepEqual(await Promise.all([epoch.current(), epoch.current(), epoch.current()]), [2, 2, 2]);
  node.block = 1080;
  await clock.advance(5_999);
  t.is(await epoch.current(), 2);
  t.is(node.asked, 1);

  await clock.advance(1);
  t.is(await epoch.current(), 3);
  t.is(node.asked, 2);
});

test('the last answer stands while the node is away, and none is none', async (t) => {
  const { clock, node, epoch } = world();
  node.block = undefined;
  t.is(await epoch.current(), undefined);
  node.block = 1079;
  t.is(await epoch.current(), undefined);
  t.is(node.asked, 1);

  // Nobody is served until it was told once.
  await clock.advance(500);
  t.is(await epoch.current(), 2);
  node.block = undefined;
  await clock.advance(60_000);
  t.is(await epoch.current(), 2);
});
