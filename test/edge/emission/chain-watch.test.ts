import test from 'ava';
import { ChainEpoch } from '../../../apps/edge/emission/chain-epoch.ts';
import { ChainWatch } from '../../../apps/edge/emission/chain-watch.ts';
import { chainProbe } from '../../../apps/edge/write-probes.ts';
import { ChainUnavailable } from '../../../infra/ports/chain.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { silentLogger } from '../../support/silent-telemetry.ts';

const minuteMs = 60_000;
const blockMs = 12_000;

/** A node that makes a block every twelve seconds, until it is told to do otherwise. */
function world() {
  const clock = new ManualClock();
  const usual = () => 720 + Math.floor(clock.monotonicMs() / blockMs);
  const node = {
    block: usual as () => number | undefined,
    newest: 2 as number | undefined,
    madeAtMs: clock.nowMs(),
  };
  const chain = {
    blockNumber: async () => {
      const block = node.block();
      if (block === undefined) throw new ChainUnavailable('away');
      return block;
    },
  };
  const said: string[] = [];
  const say = (message: string, { trouble }: { trouble?: string } = {}) =>
    said.push(trouble === undefined ? message : `${message}: ${trouble}`);
  const watch = new ChainWatch({
    chainEpoch: new ChainEpoch(chain, clock, 360),
    madeSoFar: async () => {
      const nowMs = clock.nowMs();
      const { newest, madeAtMs } = node;
      return { nowMs, made: newest === undefined ? [] : [{ epochIndex: newest, madeAtMs }] };
    },
    epochMs: 360 * blockMs,
    clock,
    log: { ...silentLogger, error: say, info: say },
  });
  return { clock, usual, node, said, watch };
}

const lost = 'the chain does not say any more which epoch it is';
const again = 'the chain says again which epoch it is';

test('a node that shows no new block is told of once, and once when it moves again', async (t) => {
  const { clock, usual, node, said, watch } = world();
  const isFailing = () =>
    chainProbe(watch)().then(
      () => undefined,
      (error) => error.message,
    );
  await watch.start();
  await clock.advance(20 * minuteMs);
  const stillSince = usual();
  node.block = () => stillSince;
  await clock.advance(9 * minuteMs);
  t.is(watch.trouble, undefined);
  t.is(await isFailing(), undefined);

  await clock.advance(2 * minuteMs);
  t.is(watch.trouble, 'the chain node shows no new block');
  t.is(await isFailing(), 'the chain node shows no new block');
  await clock.advance(60 * minuteMs);
  t.deepEqual(said, [`${lost}: the chain node shows no new block`]);

  node.block = usual;
  await clock.advance(minuteMs);
  t.is(watch.trouble, undefined);
  t.is(await isFailing(), undefined);
  t.deepEqual(said.slice(1), [again]);
  await watch.stop();
});

test('several nodes behind one address that all stand still do not look like one that moves', async (t) => {
  const { clock, node, watch } = world();
  await watch.start();
  let asked = 0;
  node.block = () => 800 + 30 * (asked++ % 3);
  await clock.advance(15 * minuteMs);
  t.is(watch.trouble, 'the chain node shows no new block');
  await watch.stop();
});

test('a node whose blocks come slowly, jump, or mend a wrong number is in no trouble', async (t) => {
  const { clock, usual, node, said, watch } = world();
  await watch.start();
  node.block = () => Math.floor(usual() / 40) * 40;
  await clock.advance(60 * minuteMs);
  node.block = () => usual() + 100_000;
  node.newest = 280;
  await clock.advance(60 * minuteMs);
  node.block = usual;
  node.newest = 2;
  await clock.advance(60 * minuteMs);
  t.deepEqual(said, []);
  await watch.stop();
});

test('a node that is behind the newest standings is told of once that lasts', async (t) => {
  const { clock, node, said, watch } = world();
  await watch.start();
  await clock.advance(2 * minuteMs);
  // Another edge's node was a block ahead.
  node.newest = 3;
  await clock.advance(2 * minuteMs);
  node.newest = 2;
  await clock.advance(20 * minuteMs);
  t.deepEqual(said, []);

  node.newest = 1_000;
  await clock.advance(12 * minuteMs);
  t.is(watch.trouble, 'the chain node is behind the newest standings');
  node.newest = undefined;
  await clock.advance(minuteMs);
  t.deepEqual(said, [`${lost}: the chain node is behind the newest standings`, again]);
  await watch.stop();
});

test('an epoch that it cannot be is told of at once, and is no standstill', async (t) => {
  const { clock, usual, node, said, watch } = world();
  await watch.start();
  node.block = () => usual() + 3 * 360;
  await clock.advance(minuteMs);
  t.is(watch.trouble, 'the chain node names an epoch that it cannot be');
  t.true(watch.isRefused);
  t.false(watch.isStalled);
  await t.throwsAsync(chainProbe(watch)(), {
    message: 'the chain node names an epoch that it cannot be',
  });
  node.madeAtMs -= 72 * minuteMs;
  await clock.advance(minuteMs);
  t.false(watch.isRefused, 'an epoch later it can');
  node.newest = undefined;
  node.madeAtMs = clock.nowMs();
  await clock.advance(minuteMs);
  t.false(watch.isRefused, 'the first of all may be any');
  t.deepEqual(said, [`${lost}: the chain node names an epoch that it cannot be`, again]);
  await watch.stop();
});

test('a node that stands still at an epoch that it cannot be is told of as both', async (t) => {
  const { clock, node, said, watch } = world();
  await watch.start();
  node.block = () => 10_000;
  await clock.advance(15 * minuteMs);
  t.true(watch.isRefused);
  t.true(watch.isStalled);
  node.newest = 27;
  await clock.advance(minuteMs);
  t.is(watch.trouble, 'the chain node shows no new block');
  t.deepEqual(said, [
    `${lost}: the chain node names an epoch that it cannot be`,
    `${lost}: the chain node shows no new block`,
  ]);
  await watch.stop();
});

test('a node that says nothing is told of, too', async (t) => {
  const { clock, node, said, watch } = world();
  node.block = () => undefined;
  await watch.start();
  await clock.advance(12 * minuteMs);
  t.is(watch.trouble, 'the chain node does not answer');
  await t.throwsAsync(chainProbe(watch)(), { message: 'the chain node does not answer' });
  t.deepEqual(said, [`${lost}: the chain node does not answer`]);
  await watch.stop();
});

test('a host that slept is in no trouble when its node went on meanwhile', async (t) => {
  const { clock, node, usual, said, watch } = world();
  await watch.start();
  await clock.advance(5 * minuteMs);
  await watch.stop();
  await clock.advance(600 * minuteMs);
  node.block = usual;
  await watch.start();
  t.is(watch.trouble, undefined);
  await clock.advance(minuteMs);
  t.is(watch.trouble, undefined);
  t.deepEqual(said, []);
  await watch.stop();
});

test('where a simulated clock says which epoch it is, there is no chain to stand still', async (t) => {
  await t.notThrowsAsync(chainProbe(undefined)());
});
