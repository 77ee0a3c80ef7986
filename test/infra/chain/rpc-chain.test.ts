import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import { inspect } from 'node:util';
import test, { type ExecutionContext } from 'ava';
import { setRegistration } from '../../../infra/chain/embedded-registrations.ts';
import { createRpcChain, ownedHotkeysMax } from '../../../infra/chain/rpc-chain.ts';
import { encodeAccountIds } from '../../../infra/chain/scale.ts';
import { systemClock } from '../../../infra/clock/system-clock.ts';
import { ChainUnavailable } from '../../../infra/ports/chain.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { until } from '../../support/until.ts';
import { answeringOwned } from './answering-owned.ts';
import { hotkeyOf, netuid, temporaryChain } from './temporary-chain.ts';

const unavailable = { instanceOf: ChainUnavailable };

test('a registration is read back with everything the chain says of it', async (t) => {
  const { chain, node, clock } = await temporaryChain(t);
  await clock.advance(5 * 12_000);
  const change = { hotkey: hotkeyOf(1), coldkey: hotkeyOf(9), stake: 2n ** 63n, uid: 70 };
  await setRegistration(node, { ...change, role: 'validator' });

  t.deepEqual(await chain.registration(hotkeyOf(1)), {
    uid: 70,
    validatorPermit: true,
    stake: 2n ** 63n,
    coldkey: hotkeyOf(9),
    ownedHotkeys: [hotkeyOf(1)],
    registeredAtBlock: 5,
  });
});

test('of a validator the hotkeys of its coldkey are told, as they change hands', async (t) => {
  const { chain, node } = await temporaryChain(t);
  const ownedBy = async (hotkey: number) =>
    (await chain.registration(hotkeyOf(hotkey)))?.ownedHotkeys;
  const own = async (hotkey: number, coldkey: number, role: 'miner' | 'validator' = 'miner') =>
    await setRegistration(node, { hotkey: hotkeyOf(hotkey), role, coldkey: hotkeyOf(coldkey) });
  await own(1, 8, 'validator');
  await own(2, 8);
  await own(3, 9);
  t.deepEqual(await ownedBy(1), [hotkeyOf(1), hotkeyOf(2)]);
  t.deepEqual(await ownedBy(3), [], 'of miners nobody asks');

  await own(1, 9, 'validator');
  t.deepEqual(await ownedBy(1), [hotkeyOf(3), hotkeyOf(1)]);
  await own(2, 9);
  await own(2, 9);
  t.deepEqual(await ownedBy(1), [hotkeyOf(3), hotkeyOf(1), hotkeyOf(2)]);
});

const listOf = (length: number) => {
  const hotkeys = Array.from({ length }, (_, at) => Uint8Array.fromHex(hotkeyOf(at)));
  return { result: `0x${Buffer.from(encodeAccountIds(hotkeys)).toString('hex')}` };
};
const tooLong = { code: -32_008, message: 'Response is too big' };
const longLists: Record<string, Parameters<typeof answeringOwned>[0]> = {
  'of one more than is told': { each: listOf(ownedHotkeysMax + 1) },
  'of over a megabyte': { each: listOf(17_000) },
  'that the node finds too long': { each: { error: tooLong } },
  'that makes the node’s batch too long': { whole: { error: { ...tooLong, code: -32_011 } } },
};

// Of one owner's making: as an outage of the node it would keep every other new key out.
for (const [what, answer] of Object.entries(longLists)) {
  test(`a list of hotkeys ${what} is not known, and all else is`, async (t) => {
    const { node, chain } = await temporaryChain(t);
    const change = { hotkey: hotkeyOf(1), coldkey: hotkeyOf(9), role: 'validator' } as const;
    await setRegistration(node, { ...change, stake: 7n });
    const plain = await chain.registration(hotkeyOf(1));
    const asking = createRpcChain({ ...node, netuid, fetch: answeringOwned(answer) });

    t.deepEqual(await asking.registration(hotkeyOf(1)), plain && { ...plain, ownedHotkeys: null });
  });
}

test('a list of as many hotkeys as are told is told whole', async (t) => {
  const { node } = await temporaryChain(t);
  await setRegistration(node, { hotkey: hotkeyOf(1), coldkey: hotkeyOf(9), role: 'validator' });
  const fetching = answeringOwned({ each: listOf(ownedHotkeysMax) });
  const found = await createRpcChain({ ...node, netuid, fetch: fetching }).registration(
    hotkeyOf(1),
  );

  t.is(found?.ownedHotkeys?.length, ownedHotkeysMax);
});

test('a hotkey that is not on the subnet has no registration', async (t) => {
  const { chain, node } = await temporaryChain(t);
  await setRegistration(node, { hotkey: hotkeyOf(1), role: 'miner' });
  const elsewhere = createRpcChain({ ...node, netuid: netuid + 1 });

  t.is(await chain.registration(hotkeyOf(2)), undefined);
  t.is(await elsewhere.registration(hotkeyOf(1)), undefined);
  t.is((await chain.registration(hotkeyOf(1)))?.uid, 0);
});

test('the block number follows the chain', async (t) => {
  const { chain, clock } = await temporaryChain(t);

  t.is(await chain.blockNumber(), 0);
  await clock.advance(12_000 * 300 + 11_999);
  t.is(await chain.blockNumber(), 300);
});

test('a WebSocket address is asked over HTTP on the same port', async (t) => {
  const { node } = await temporaryChain(t);
  const chain = createRpcChain({ ...node, url: node.url.replace('http:', 'ws:'), netuid });

  t.is(await chain.blockNumber(), 0);
});

test('a node that is down makes the chain unavailable', async (t) => {
  const { chain, server } = await temporaryChain(t);
  await server.stop();

  await t.throwsAsync(chain.registration(hotkeyOf(1)), unavailable);
  await t.throwsAsync(chain.blockNumber(), unavailable);
});

test('a node that is silent makes the chain unavailable after the time-out', async (t) => {
  let asked = false;
  const url = await serve(t, () => {
    asked = true;
  });
  const clock = new ManualClock();
  const chain = createRpcChain({ url, netuid, timeoutMs: 2000, clock });

  const question = chain.blockNumber();
  await until(() => asked);
  await clock.advance(2000);

  await t.throwsAsync(question, unavailable);
});

/** A node that says of itself what `health` is, beside what the given one answers. */
function withHealth(health: object): typeof fetch {
  return async (url, request) => {
    const calls: { id: number; method: string }[] = JSON.parse(String(request?.body));
    const answers = (await (await fetch(url, request)).json()) as { id: number }[];
    const own = calls.filter(({ method }) => method === 'system_health');
    const others = answers.filter(({ id }) => own.every((call) => call.id !== id));
    return Response.json([...others, ...own.map(({ id }) => ({ id, ...health }))]);
  };
}

// Its first epoch would be the last that standings know for years, and its permits are of weeks ago.
test('a node that is catching up makes the chain unavailable', async (t) => {
  const { node } = await temporaryChain(t);
  await setRegistration(node, { hotkey: hotkeyOf(1), role: 'validator' });
  const fetching = withHealth({ result: { isSyncing: true, peers: 8, shouldHavePeers: true } });
  const chain = createRpcChain({ ...node, netuid, fetch: fetching });

  await t.throwsAsync(chain.blockNumber(), { ...unavailable, message: /catching up/ });
  await t.throwsAsync(chain.registration(hotkeyOf(1)), { ...unavailable, message: /catching up/ });
});

for (const [what, health] of Object.entries({
  'that is not catching up': { result: { isSyncing: false, peers: 8, shouldHavePeers: true } },
  'that tells nobody': { error: { code: -32_601, message: 'Method not found' } },
  'that says it in another way': { result: 'fine' },
})) {
  test(`a node ${what} is believed`, async (t) => {
    const { node } = await temporaryChain(t);
    await setRegistration(node, { hotkey: hotkeyOf(1), role: 'validator' });
    const chain = createRpcChain({ ...node, netuid, fetch: withHealth(health) });

    t.is(await chain.blockNumber(), 0);
    t.true((await chain.registration(hotkeyOf(1)))?.validatorPermit);
  });
}

const nonsense: Record<string, RequestListener> = {
  'a server error': (_, response) => response.writeHead(500).end('[]'),
  'a redirect': (_, response) => response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end(),
  'no JSON': (_, response) => response.end('<html>'),
  'an empty batch': (_, response) => response.end('[]'),
  'an error for the whole batch': (_, response) =>
    response.end('{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no batches"}}'),
  'an error for each call': (_, response) =>
    response.end(
      JSON.stringify([0, 1, 2, 3].map((id) => ({ id, error: { code: -32_000, message: 'busy' } }))),
    ),
  'a value of another shape': (_, response) =>
    response.end(JSON.stringify([0, 1, 2, 3].map((id) => ({ id, result: '0x010203' })))),
  'a value that is no hex': (_, response) =>
    response.end(JSON.stringify([0, 1, 2, 3].map((id) => ({ id, result: 'zz' })))),
  'an answer without end': (_, response) => {
    const more = () => {
      while (!response.destroyed && response.write('[1,'.repeat(10_000)));
    };
    response.on('drain', more);
    more();
  },
  'a connection cut short': (_, response) => {
    response.writeHead(200, { 'content-length': 100 }).write('[');
    setImmediate(() => response.destroy());
  },
};

for (const [what, listener] of Object.entries(nonsense)) {
  test(`${what} makes the chain unavailable`, async (t) => {
    const url = await serve(t, listener);
    const chain = createRpcChain({ url, netuid, timeoutMs: 10_000, clock: systemClock });

    await t.throwsAsync(chain.registration(hotkeyOf(1)), unavailable);
  });
}

test('answers in another order are matched by their id', async (t) => {
  const { chain, node } = await temporaryChain(t);
  await setRegistration(node, { hotkey: hotkeyOf(1), role: 'validator', stake: 5n });
  const reversing: typeof fetch = async (...request) => {
    const response = await fetch(...request);
    const answers: unknown = await response.json();
    return Response.json(Array.isArray(answers) ? answers.reverse() : answers);
  };
  const reversed = createRpcChain({ ...node, netuid, fetch: reversing });

  t.deepEqual(await reversed.registration(hotkeyOf(1)), await chain.registration(hotkeyOf(1)));
});

test('a seat that changes hands between two reads gives its permit to nobody else', async (t) => {
  const { node, chain } = await temporaryChain(t);
  await setRegistration(node, { hotkey: hotkeyOf(1), role: 'validator' });
  await setRegistration(node, { hotkey: hotkeyOf(2), role: 'miner' });
  let requests = 0;
  // After the first read the two swap seats, by way of a third.
  const swapping: typeof fetch = async (...request) => {
    requests += 1;
    const response = await fetch(...request);
    if (requests > 1) return response;
    await setRegistration(node, { hotkey: hotkeyOf(2), role: 'miner', uid: 5 });
    await setRegistration(node, { hotkey: hotkeyOf(1), role: 'validator', uid: 1 });
    await setRegistration(node, { hotkey: hotkeyOf(2), role: 'miner', uid: 0 });
    return response;
  };

  const found = await createRpcChain({ ...node, netuid, fetch: swapping }).registration(
    hotkeyOf(2),
  );

  t.deepEqual(found, await chain.registration(hotkeyOf(2)));
  t.is(found?.validatorPermit, false);
  t.is(requests, 4);
});

test('something else than a public key is a mistake and no outage', async (t) => {
  const { chain } = await temporaryChain(t);

  await t.throwsAsync(chain.registration('5Grw'), { instanceOf: TypeError });
  await t.throwsAsync(chain.registration('00'), { instanceOf: TypeError });
});

test('a node that wants a user and a password gets those of its URL, and no error has them', async (t) => {
  const wanted = ['user:pass/word', 'user:100%'].map(
    (login) => `Basic ${Buffer.from(login).toString('base64')}`,
  );
  const url = new URL(
    await serve(t, async (request, response) => {
      const calls = JSON.parse(await text(request)) as { id: number; method: string }[];
      const answers = calls.map(({ id, method }) => ({
        id,
        result: method === 'chain_getHeader' ? { number: '0x5' } : { isSyncing: false },
      }));
      response.statusCode = wanted.includes(request.headers.authorization ?? '') ? 200 : 401;
      response.end(JSON.stringify(answers));
    }),
  );
  const ask = async (login: string) => {
    const chain = { url: `ws://${login}@${url.host}`, netuid, timeoutMs: 3_000 };
    return await createRpcChain({ ...chain, clock: systemClock }).blockNumber();
  };

  t.is(await ask('user:pass%2Fword'), 5);
  t.is(await ask('user:100%'), 5, 'a bare sign stands for itself');
  const error = await t.throwsAsync(ask('somebody:else'), unavailable);
  t.false(inspect(error).includes('else'));
});

async function serve(t: ExecutionContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('listening on no port');
  return `http://127.0.0.1:${address.port}/`;
}
