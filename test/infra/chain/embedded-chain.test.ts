import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { startEmbeddedChain } from '../../../infra/chain/embedded/chain-node.ts';
import {
  ChainNotEmbedded,
  removeRegistration,
  setRegistration,
  UidTaken,
} from '../../../infra/chain/embedded-registrations.ts';
import { storageKeys } from '../../../infra/chain/storage-keys.ts';
import { hotkeyOf, netuid, temporaryChain, temporaryFolder } from './temporary-chain.ts';

test('a new hotkey gets the next free seat and keeps it', async (t) => {
  const { node } = await temporaryChain(t);
  const register = (index: number) =>
    setRegistration(node, { hotkey: hotkeyOf(index), role: 'miner' });

  t.is((await register(1)).uid, 0);
  t.is((await register(2)).uid, 1);
  t.is((await register(1)).uid, 0);
  t.true(await removeRegistration(node, hotkeyOf(1)));
  t.is((await register(3)).uid, 0);
});

test('what a change leaves out stays as it was', async (t) => {
  const { node, chain } = await temporaryChain(t);
  const hotkey = hotkeyOf(1);
  const coldkey = hotkeyOf(2);

  const created = await setRegistration(node, { hotkey, role: 'validator', stake: 7n, coldkey });
  const changed = await setRegistration(node, { hotkey, role: 'miner' });

  t.deepEqual(created, { uid: 0, role: 'validator', stake: 7n, coldkey });
  t.deepEqual(changed, { uid: 0, role: 'miner', stake: 7n, coldkey });
  t.is((await chain.registration(hotkey))?.validatorPermit, false);
});

test('a new hotkey has no stake and no coldkey unless told', async (t) => {
  const { node } = await temporaryChain(t);

  t.deepEqual(await setRegistration(node, { hotkey: hotkeyOf(1), role: 'miner' }), {
    uid: 0,
    role: 'miner',
    stake: 0n,
    coldkey: null,
  });
});

test('a seat is moved but never taken from its holder', async (t) => {
  const { node, chain } = await temporaryChain(t);
  await setRegistration(node, { hotkey: hotkeyOf(1), role: 'validator', uid: 3 });
  await setRegistration(node, { hotkey: hotkeyOf(2), role: 'miner', uid: 9 });

  const taking = setRegistration(node, { hotkey: hotkeyOf(2), role: 'miner', uid: 3 });
  await t.throwsAsync(taking, { instanceOf: UidTaken });
  t.is((await chain.registration(hotkeyOf(2)))?.uid, 9);
  await setRegistration(node, { hotkey: hotkeyOf(1), role: 'validator', uid: 4 });
  await setRegistration(node, { hotkey: hotkeyOf(2), role: 'miner', uid: 3 });

  t.like(await chain.registration(hotkeyOf(1)), { uid: 4, validatorPermit: true });
  t.like(await chain.registration(hotkeyOf(2)), { uid: 3, validatorPermit: false });
});

test('a hotkey that was removed is gone, and its permit with it', async (t) => {
  const { node, chain } = await temporaryChain(t);
  await setRegistration(node, { hotkey: hotkeyOf(1), role: 'validator' });

  t.true(await removeRegistration(node, hotkeyOf(1)));
  t.false(await removeRegistration(node, hotkeyOf(1)));
  t.is(await chain.registration(hotkeyOf(1)), undefined);
  await setRegistration(node, { hotkey: hotkeyOf(2), role: 'miner' });
  t.like(await chain.registration(hotkeyOf(2)), { uid: 0, validatorPermit: false });
});

test('many changes at a time leave one seat for each', async (t) => {
  const { node } = await temporaryChain(t);
  const set = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      setRegistration(node, { hotkey: hotkeyOf(index + 1), role: 'miner' }),
    ),
  );

  const uids = set.map(({ uid }) => uid).sort((left, right) => left - right);
  t.deepEqual(uids, [...uids.keys()]);
});

test('registrations and the age of the chain outlive the process', async (t) => {
  const { node, chain, server, clock, dataDir } = await temporaryChain(t);
  await clock.advance(24_000);
  await setRegistration(node, { hotkey: hotkeyOf(1), role: 'validator', stake: 5n });
  const before = await chain.registration(hotkeyOf(1));
  await server.stop();
  await clock.advance(12_000);

  const again = await startEmbeddedChain({ dataDir, netuid, clock, port: server.port });
  t.teardown(() => again.stop());

  t.is(again.url, server.url);
  t.is(await chain.blockNumber(), 3);
  t.deepEqual(await chain.registration(hotkeyOf(1)), before);
  t.deepEqual(await readdir(dataDir), ['chain.json']);
});

test('a file that cannot be read stops the start and is not overwritten', async (t) => {
  const dataDir = await temporaryFolder(t);
  const { clock } = await temporaryChain(t);
  await writeFile(join(dataDir, 'chain.json'), '{"genesisMs": 1, "stor');

  await t.throwsAsync(startEmbeddedChain({ dataDir, netuid, clock }), {
    message: /cannot be read/,
  });
});

test('a node of others is told apart from the embedded one', async (t) => {
  const { node } = await temporaryChain(t);
  // The same node without the project's own methods: what any Subtensor node answers.
  const foreign: typeof fetch = (url, init) =>
    fetch(url, { ...init, body: String(init?.body).replace('paddock_', 'author_') });
  const setting = setRegistration(
    { ...node, fetch: foreign },
    { hotkey: hotkeyOf(1), role: 'miner' },
  );

  await t.throwsAsync(setting, { instanceOf: ChainNotEmbedded });
  await t.throwsAsync(removeRegistration({ ...node, fetch: foreign }, hotkeyOf(1)), {
    instanceOf: ChainNotEmbedded,
  });
});

test('a registration that makes no sense is a mistake of the caller', async (t) => {
  const { node } = await temporaryChain(t);
  const wrong = [
    { hotkey: '5Grw' },
    { hotkey: hotkeyOf(1).toUpperCase().replace('0', 'A') },
    { hotkey: hotkeyOf(1), stake: -1n },
    { hotkey: hotkeyOf(1), stake: 2n ** 64n },
    { hotkey: hotkeyOf(1), uid: 65_536 },
    { hotkey: hotkeyOf(1), uid: 0.5 },
  ];
  for (const change of wrong) {
    const setting = setRegistration(node, { ...change, role: 'miner' });
    await t.throwsAsync(setting, { instanceOf: TypeError });
  }
});

test('keys are paged in order, as Substrate pages them', async (t) => {
  const { node } = await temporaryChain(t);
  for (const index of [1, 2, 3]) {
    await setRegistration(node, { hotkey: hotkeyOf(index), role: 'miner' });
  }
  const all = [0, 1, 2].map((uid) => storageKeys.hotkey(netuid, uid));
  const prefix = `${all[0]?.slice(0, -4)}`;
  const page = (...params: unknown[]) => ask(node.url, 'state_getKeysPaged', params);

  t.deepEqual(await page(prefix, 2), { result: all.slice(0, 2) });
  t.deepEqual(await page(prefix, 2, all[1]), { result: all.slice(2) });
  t.deepEqual(await page(prefix, 1000, null, null), { result: all });
  t.like(await page(prefix, 1001), { error: { code: -32_602 } });
});

test('a subnet has a tempo from the start', async (t) => {
  const { node } = await temporaryChain(t);

  const tempo = await ask(node.url, 'state_getStorage', [storageKeys.tempo(netuid)]);
  t.deepEqual(tempo, { result: '0x6801' });
  t.deepEqual(await ask(node.url, 'state_getStorage', ['0xabcd']), { result: null });
});

test('calls that are none are refused by the codes of JSON-RPC', async (t) => {
  const { node } = await temporaryChain(t);
  const json = { 'content-type': 'application/json' };
  const post = async (body: string, headers: Record<string, string> = json) => {
    const response = await fetch(node.url, { method: 'POST', headers, body });
    return response.ok ? await response.json() : response.status;
  };

  t.like(await post('{'), { error: { code: -32_700 } });
  t.like(await post('[]'), { error: { code: -32_600 } });
  t.like(await post('7'), { error: { code: -32_600 } });
  t.like(await post(JSON.stringify(new Array(101).fill({}))), { error: { code: -32_600 } });
  t.like(await ask(node.url, 'author_submitExtrinsic', []), { error: { code: -32_601 } });
  t.like(await ask(node.url, 'state_getStorage', []), { error: { code: -32_602 } });
  t.like(await ask(node.url, 'state_getStorage', ['0xab', `0x${'1'.repeat(64)}`]), {
    error: { code: -32_602 },
  });
  t.is(await post(' '.repeat(300_000)), 413);
});

test('a page in a browser cannot change registrations', async (t) => {
  const { node } = await temporaryChain(t);
  // What a page may send to other origins without being allowed to: no JSON content type.
  const response = await fetch(node.url, {
    method: 'POST',
    headers: { 'content-type': 'text/plain' },
    body: '{}',
  });

  t.is(response.status, 405);
  t.is((await fetch(node.url)).status, 405);
});

async function ask(url: string, method: string, params: readonly unknown[]): Promise<object> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const { jsonrpc: _, id: __, ...answer } = Object(await response.json());
  return answer;
}
