import test, { type ExecutionContext } from 'ava';
import { startEmbeddedChain } from '../../../infra/chain/embedded/chain-node.ts';
import {
  removeRegistration,
  setRegistration,
} from '../../../infra/chain/embedded-registrations.ts';
import { createRegistrationCache } from '../../../infra/chain/registration-cache.ts';
import { createRpcChain } from '../../../infra/chain/rpc-chain.ts';
import { type Chain, ChainUnavailable } from '../../../infra/ports/chain.ts';
import { answeringOwned } from './answering-owned.ts';
import { hotkeyOf, netuid, temporaryChain } from './temporary-chain.ts';

const ttlMs = 300_000;
const graceMs = 3_600_000;
const absentMs = 10_000;
const unavailable = { instanceOf: ChainUnavailable };
const one = hotkeyOf(1);

async function world(t: ExecutionContext, limits: { max?: number; askingMax?: number } = {}) {
  const embedded = await temporaryChain(t);
  const { clock, chain, server, dataDir } = embedded;
  let asked = 0;
  const counting: Chain = {
    registration: (hotkey) => {
      asked += 1;
      return chain.registration(hotkey);
    },
    blockNumber: () => chain.blockNumber(),
  };
  const settings = { ttlMs, graceMs, absentMs, validatorStakeMin: 100n, max: 100, ...limits };
  return {
    ...embedded,
    cache: createRegistrationCache({ chain: counting, clock, ...settings }),
    asked: () => asked,
    restart: async () => {
      const again = await startEmbeddedChain({ dataDir, netuid, clock, port: server.port });
      t.teardown(() => again.stop());
    },
  };
}

test('a validator holds a permit and stake enough, everybody else mines', async (t) => {
  const { node, cache } = await world(t);
  await setRegistration(node, { hotkey: hotkeyOf(1), role: 'validator', stake: 100n });
  await setRegistration(node, { hotkey: hotkeyOf(2), role: 'validator', stake: 99n });
  await setRegistration(node, { hotkey: hotkeyOf(3), role: 'miner', stake: 10_000n });

  t.like(await cache.roleOf(hotkeyOf(1)), { role: 'validator', uid: 0, stake: 100n });
  t.like(await cache.roleOf(hotkeyOf(2)), { role: 'miner', uid: 1, coldkey: null });
  t.like(await cache.roleOf(hotkeyOf(3)), { role: 'miner', uid: 2, stake: 10_000n });
  t.is(await cache.roleOf(hotkeyOf(4)), 'unregistered');
});

test('whose coldkey owns too many hotkeys keeps nobody else out', async (t) => {
  const { node, clock } = await world(t);
  await setRegistration(node, { hotkey: one, coldkey: hotkeyOf(9), role: 'validator' });
  await setRegistration(node, { hotkey: hotkeyOf(2), role: 'miner' });
  const fetching = answeringOwned({ each: { result: `0x${'00'.repeat(1_048_576)}` } });
  const cache = createRegistrationCache({
    chain: createRpcChain({ ...node, netuid, fetch: fetching }),
    ...{ clock, ttlMs, graceMs, validatorStakeMin: 0n, max: 10 },
  });

  t.like(await cache.roleOf(one), { role: 'validator', ownedHotkeys: null });
  t.like(await cache.roleOf(hotkeyOf(2)), { role: 'miner' });
  t.is(cache.peek(one), 'registered');
});

test('a deregistration is noticed when the time of the answer is over', async (t) => {
  const { node, cache, clock, asked } = await world(t);
  await setRegistration(node, { hotkey: one, role: 'miner' });
  await cache.roleOf(one);
  await removeRegistration(node, one);

  await clock.advance(ttlMs - 1);
  t.like(await cache.roleOf(one), { role: 'miner' });
  t.is(asked(), 1);
  await clock.advance(1);
  t.is(await cache.roleOf(one), 'unregistered');
});

test('the time of an answer begins with its question', async (t) => {
  const { clock } = await world(t);
  const slow = Promise.withResolvers<undefined>();
  let asked = 0;
  const registration = {
    uid: 1,
    validatorPermit: false,
    stake: 0n,
    coldkey: null,
    ownedHotkeys: [],
  };
  const chain: Chain = {
    registration: async () => {
      asked += 1;
      await slow.promise;
      return { ...registration, registeredAtBlock: 1 };
    },
    blockNumber: async () => 0,
  };
  const cache = createRegistrationCache({
    ...{ chain, clock, ttlMs, graceMs, validatorStakeMin: 0n, max: 10 },
  });

  const answer = cache.roleOf(one);
  await clock.advance(5000);
  slow.resolve(undefined);
  await answer;

  await clock.advance(ttlMs - 5000 - 1);
  await cache.roleOf(one);
  t.is(asked, 1);
  await clock.advance(1);
  await cache.roleOf(one);
  t.is(asked, 2);
});

test('a hotkey that registers is let in within seconds', async (t) => {
  const { node, cache, clock, asked } = await world(t);
  t.is(await cache.roleOf(one), 'unregistered');
  await setRegistration(node, { hotkey: one, role: 'miner' });

  await clock.advance(absentMs - 1);
  t.is(await cache.roleOf(one), 'unregistered');
  t.is(asked(), 1);
  await clock.advance(1);
  t.like(await cache.roleOf(one), { role: 'miner' });
});

test('while the chain is down who was seen is served, until the grace is over', async (t) => {
  const { node, cache, clock, server, restart } = await world(t);
  await setRegistration(node, { hotkey: one, role: 'validator', stake: 100n });
  await cache.roleOf(one);
  await server.stop();

  await clock.advance(ttlMs + graceMs - 1);
  t.like(await cache.roleOf(one), { role: 'validator' });
  await clock.advance(1);
  await t.throwsAsync(cache.roleOf(one), unavailable);

  await restart();
  await clock.advance(1000);
  t.like(await cache.roleOf(one), { role: 'validator' });
});

test('while the chain is down who was never seen is neither let in nor refused', async (t) => {
  const { cache, clock, server } = await world(t);
  await cache.roleOf(hotkeyOf(2));
  await server.stop();

  await t.throwsAsync(cache.roleOf(one), unavailable);
  t.is(await cache.roleOf(hotkeyOf(2)), 'unregistered');
  await clock.advance(absentMs);
  await t.throwsAsync(cache.roleOf(hotkeyOf(2)), unavailable);
  t.is(cache.peek(one), 'unknown');
});

test('while the chain is down and nobody was ever seen, the cache is blind', async (t) => {
  const { node, cache, clock, server, restart } = await world(t);
  t.true(cache.isBlind, 'nothing was asked yet');
  await cache.roleOf(hotkeyOf(2));
  t.false(cache.isBlind, 'the chain answers');
  await setRegistration(node, { hotkey: one, role: 'validator', stake: 100n });
  await server.stop();

  await t.throwsAsync(cache.roleOf(one), unavailable);
  t.true(cache.isBlind);
  await clock.advance(60_000);
  t.true(cache.isBlind, 'also while nobody asks');
  await restart();
  await cache.roleOf(one);
  t.false(cache.isBlind);
});

test('a cache that knows nobody asks by itself whether the chain answers', async (t) => {
  const { node, cache, clock, server, restart, asked } = await world(t);
  await cache.look();
  t.false(cache.isBlind);
  await cache.look();
  t.is(asked(), 1, 'that nobody is registered holds for a while');
  await server.stop();
  await clock.advance(absentMs);
  await cache.look();
  t.true(cache.isBlind);

  await restart();
  await clock.advance(1_000);
  await cache.look();
  t.false(cache.isBlind);
  await setRegistration(node, { hotkey: one, role: 'miner' });
  await cache.roleOf(one);
  const before = asked();
  await clock.advance(graceMs - 1);
  await cache.look();
  t.is(asked(), before, 'somebody is known');
});

test('one question that fails leaves nobody blind for longer than the next look', async (t) => {
  const { clock } = await world(t);
  let isDown = false;
  const chain: Chain = {
    registration: async () => {
      if (isDown) throw new ChainUnavailable('told');
      return undefined;
    },
    blockNumber: async () => 0,
  };
  const cache = createRegistrationCache({
    ...{ chain, clock, ttlMs, graceMs, validatorStakeMin: 0n, max: 10 },
  });
  await cache.look();
  isDown = true;
  await t.throwsAsync(cache.roleOf(one), unavailable);
  t.true(cache.isBlind);
  isDown = false;
  await clock.advance(1_000);
  await cache.look();
  t.false(cache.isBlind);
});

// An edge that refuses one of those who were there all the time has to be silent by then: whoever
// goes by its word would end that one's lease.
test('while the chain is down the cache is blind before anybody who kept asking is refused', async (t) => {
  const { node, cache, clock, server } = await world(t);
  const other = hotkeyOf(2);
  for (const hotkey of [one, other]) await setRegistration(node, { hotkey, role: 'miner' });
  await cache.roleOf(one);
  await clock.advance(ttlMs - 1);
  await cache.roleOf(other);
  await server.stop();

  await clock.advance(graceMs - 1);
  for (const hotkey of [one, other]) await cache.roleOf(hotkey);
  t.false(cache.isBlind);
  await clock.advance(1);
  await cache.roleOf(one);
  t.true(cache.isBlind);

  await clock.advance(1);
  await t.throwsAsync(cache.roleOf(one), unavailable);
  await cache.roleOf(other);
  t.false(cache.knowsNobody, 'who has grace is served: no proxy is to leave for it');
  await clock.advance(ttlMs);
  t.true(cache.knowsNobody);
});

test('who was seen to be gone has no grace', async (t) => {
  const { node, cache, clock, server } = await world(t);
  await setRegistration(node, { hotkey: one, role: 'miner' });
  await cache.roleOf(one);
  await removeRegistration(node, one);
  await clock.advance(ttlMs);
  t.is(await cache.roleOf(one), 'unregistered');
  await server.stop();

  await clock.advance(absentMs);
  await t.throwsAsync(cache.roleOf(one), unavailable);
});

test('a dead node is asked once in a while and not by everybody', async (t) => {
  const { node, cache, clock, server, asked } = await world(t);
  await setRegistration(node, { hotkey: one, role: 'miner' });
  await cache.roleOf(one);
  await server.stop();
  await clock.advance(ttlMs);

  for (let count = 0; count < 5; count += 1) await cache.roleOf(one);
  await t.throwsAsync(cache.roleOf(hotkeyOf(2)), unavailable);
  t.is(asked(), 2);
  await clock.advance(1000);
  await cache.roleOf(one);
  t.is(asked(), 3);
});

test('many who ask for one hotkey share one question', async (t) => {
  const { node, cache, asked } = await world(t);
  await setRegistration(node, { hotkey: one, role: 'miner' });

  const roles = await Promise.all(Array.from({ length: 50 }, () => cache.roleOf(one)));

  t.is(asked(), 1);
  t.is(new Set(roles).size, 1);
});

test('more questions than the bound are not put to the chain', async (t) => {
  const { cache, asked } = await world(t, { askingMax: 2 });

  const answers = await Promise.allSettled([2, 3, 4].map((index) => cache.roleOf(hotkeyOf(index))));

  t.deepEqual(
    answers.map(({ status }) => status),
    ['fulfilled', 'fulfilled', 'rejected'],
  );
  t.is(asked(), 2);
  t.is(await cache.roleOf(hotkeyOf(4)), 'unregistered');
});

test('a flood of unknown hotkeys evicts nobody who is registered', async (t) => {
  const { node, cache, asked } = await world(t, { max: 3 });
  await setRegistration(node, { hotkey: one, role: 'miner' });
  await cache.roleOf(one);
  for (let index = 2; index < 12; index += 1) await cache.roleOf(hotkeyOf(index));
  const before = asked();

  t.like(await cache.roleOf(one), { role: 'miner' });
  t.is(asked(), before);
  t.is(cache.peek(hotkeyOf(11)), 'unregistered');
  t.is(cache.peek(hotkeyOf(2)), 'unknown');
});

test('a look asks nobody', async (t) => {
  const { node, cache, clock, asked } = await world(t);
  await setRegistration(node, { hotkey: one, role: 'miner' });

  t.is(cache.peek(one), 'unknown');
  t.is(asked(), 0);
  await cache.roleOf(one);
  await cache.roleOf(hotkeyOf(2));
  t.is(cache.peek(one), 'registered');
  t.is(cache.peek(hotkeyOf(2)), 'unregistered');
  await clock.advance(ttlMs);
  t.is(cache.peek(one), 'unknown');
  t.is(cache.peek(hotkeyOf(2)), 'unknown');
});

test('what is forgotten is asked again', async (t) => {
  const { node, cache } = await world(t);
  await setRegistration(node, { hotkey: one, role: 'miner' });
  await cache.roleOf(one);
  await removeRegistration(node, one);

  cache.forget(one);

  t.is(await cache.roleOf(one), 'unregistered');
});

test('an answer under way when its hotkey is forgotten is not kept', async (t) => {
  const { node, cache, asked } = await world(t);
  await setRegistration(node, { hotkey: one, role: 'miner' });

  const early = cache.roleOf(one);
  cache.forget(one);
  const late = cache.roleOf(one);
  await Promise.all([early, late]);

  t.is(asked(), 2);
  t.is(cache.peek(one), 'registered');
  const pending = cache.roleOf(hotkeyOf(2));
  cache.forget(hotkeyOf(2));
  await pending;
  t.is(cache.peek(hotkeyOf(2)), 'unknown');
});

test('a defect is not taken for an outage', async (t) => {
  const { node, cache } = await world(t);
  await setRegistration(node, { hotkey: one, role: 'miner' });

  await t.throwsAsync(cache.roleOf('no key'), { instanceOf: TypeError });
  t.like(await cache.roleOf(one), { role: 'miner' });
});
