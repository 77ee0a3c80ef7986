import test from 'ava';
import { ProofTurns } from '../../../apps/edge/auth/proof-turns.ts';
import { Fault, type FaultCode } from '../../../machines/fault.ts';

const failuresMax = 20;
const honest = { address: '192.0.2.1', hotkey: '5Honest' };

function turnsAt() {
  const now = { ms: 0 };
  const turns = new ProofTurns(failuresMax, { monotonicMs: () => now.ms });
  const fails = (claimant = { ...honest }, code: FaultCode = 'INVALID_SIGNATURE') =>
    turns.during(claimant, async () => {
      throw new Fault(code, code);
    });
  /** Whether the caller was familiar; undefined when it was turned away. */
  const proves = async (claimant = honest): Promise<boolean | undefined> => {
    try {
      return await turns.during(claimant, async (isFamiliar) => isFamiliar);
    } catch (error) {
      if (error instanceof Fault && error.code === 'OVERLOADED') return undefined;
      throw error;
    }
  };
  /** From an address each, unless one is told. */
  const flood = async (claimant: { address?: string; hotkey: string }, count = failuresMax) => {
    const codes: string[] = [];
    for (let sent = 0; sent < count; sent += 1) {
      const from = { address: `203.0.113.${sent}`, ...claimant };
      codes.push(await fails(from).catch(({ code }: Fault) => code));
    }
    return codes;
  };
  return { now, turns, fails, proves, flood };
}

test('who proved a key from an address is familiar there for ten minutes', async (t) => {
  const { now, proves } = turnsAt();
  t.is(await proves(), false);
  t.is(await proves(), true);
  t.is(await proves({ ...honest, address: '192.0.2.2' }), false);
  t.is(await proves({ ...honest, hotkey: '5Other' }), false);
  now.ms += 600_000;
  t.is(await proves(), false);
});

test('a flood that names an honest key from elsewhere takes nothing from its holder', async (t) => {
  const { now, proves, flood } = turnsAt();
  await proves();
  const codes = await flood({ hotkey: honest.hotkey }, 50);
  t.is(codes.filter((code) => code === 'INVALID_SIGNATURE').length, failuresMax);
  t.is(codes.filter((code) => code === 'OVERLOADED').length, 30);
  t.is(await proves(), true);
  t.is(await proves({ address: '192.0.2.3', hotkey: '5Newcomer' }), undefined);
  now.ms += 1000;
  t.is(await proves({ address: '192.0.2.3', hotkey: '5Newcomer' }), false);
});

test('one address takes a fifth of what may fail, and turns away nobody from elsewhere', async (t) => {
  const { now, proves, flood } = turnsAt();
  const forger = { address: '203.0.113.9', hotkey: honest.hotkey };
  const codes = await flood(forger, 50);
  t.is(codes.filter((code) => code === 'INVALID_SIGNATURE').length, failuresMax / 5);
  t.is(await proves({ address: '192.0.2.3', hotkey: '5Newcomer' }), false);
  t.is(await proves({ ...forger, hotkey: '5Newcomer' }), undefined);
  now.ms += 1000;
  t.is(await proves({ ...forger, hotkey: '5Newcomer' }), false);
});

test('a burst from one address keeps nobody out elsewhere', async (t) => {
  const { turns, proves } = turnsAt();
  const gate = Promise.withResolvers<void>();
  const burst = Array.from({ length: 10 * failuresMax }, () =>
    turns
      .during({ address: '203.0.113.9', hotkey: '5' }, async () => {
        await gate.promise;
        throw new Fault('INVALID_SIGNATURE', 'no');
      })
      .catch(({ code }: Fault) => code),
  );
  t.is(await proves({ address: '192.0.2.3', hotkey: '5Newcomer' }), false);
  gate.resolve();
  t.deepEqual(new Set(await Promise.all(burst)), new Set(['INVALID_SIGNATURE']));
  t.is(await proves({ address: '192.0.2.4', hotkey: '5Newcomer' }), false);
  t.is(await proves({ address: '203.0.113.9', hotkey: '5Newcomer' }), undefined);
});

test('a single failure behind a shared address limits nobody there', async (t) => {
  const { turns, fails } = turnsAt();
  await t.throwsAsync(fails({ address: '192.0.2.1', hotkey: '5Late' }, 'TIMESTAMP_SKEW'));
  const gate = Promise.withResolvers<boolean>();
  const crowd = Array.from({ length: 40 }, (_, at) =>
    turns.during({ address: '192.0.2.1', hotkey: `5${at}` }, () => gate.promise),
  );
  gate.resolve(true);
  t.deepEqual(new Set(await Promise.all(crowd)), new Set([true]));
});

test('without failures any number of strangers may come at once', async (t) => {
  const { turns } = turnsAt();
  const gate = Promise.withResolvers<boolean>();
  const crowd = Array.from({ length: 10 * failuresMax }, (_, at) =>
    turns.during({ address: `192.0.2.${at}`, hotkey: '5' }, () => gate.promise),
  );
  gate.resolve(true);
  t.deepEqual(new Set(await Promise.all(crowd)), new Set([true]));
});

test('while some fail, those under way count too', async (t) => {
  const { turns, flood, proves } = turnsAt();
  await flood({ hotkey: '5' }, 5);
  const gate = Promise.withResolvers<boolean>();
  const underWay = Array.from({ length: failuresMax - 5 }, (_, at) =>
    turns.during({ address: `192.0.2.${at}`, hotkey: '5' }, () => gate.promise),
  );
  t.is(await proves(), undefined);
  gate.resolve(true);
  await Promise.all(underWay);
  t.is(await proves(), false);
});

test('a failure makes a stranger of the familiar, a request that comes twice does not', async (t) => {
  const { fails, proves } = turnsAt();
  await proves();
  await t.throwsAsync(fails(honest, 'NONCE_REUSED'));
  t.is(await proves(), true);
  await t.throwsAsync(fails(honest, 'INVALID_SIGNATURE'));
  t.is(await proves(), false);
});

test('a request heard and sent again makes nobody familiar, and counts', async (t) => {
  const { fails, proves, flood } = turnsAt();
  const eavesdropper = { ...honest, address: '203.0.113.9' };
  for (let sent = 0; sent < failuresMax / 5; sent += 1) {
    await t.throwsAsync(fails(eavesdropper, 'NONCE_REUSED'));
  }
  t.deepEqual(await flood(eavesdropper, 1), ['OVERLOADED']);
  t.is(await proves(eavesdropper), undefined);
});

test('our own trouble says nothing of the caller', async (t) => {
  const { fails, proves, turns } = turnsAt();
  await proves();
  for (let sent = 0; sent < 2 * failuresMax; sent += 1) {
    await t.throwsAsync(fails({ address: '192.0.2.9', hotkey: '5' }, 'STORE_UNAVAILABLE'));
  }
  await t.throwsAsync(turns.during(honest, () => Promise.reject(new Error('no'))));
  t.is(await proves(), true);
  t.is(await proves({ address: '192.0.2.3', hotkey: '5' }), false);
});

test('of one familiar caller so many are familiar at once, and the others wait with strangers', async (t) => {
  const { turns, flood, proves } = turnsAt();
  await proves();
  const gate = Promise.withResolvers<void>();
  const seen: boolean[] = [];
  const crowd = Array.from({ length: 40 }, () =>
    turns.during(honest, async (isFamiliar) => {
      seen.push(isFamiliar);
      await gate.promise;
    }),
  );
  t.is(seen.length, 40, 'without failures nobody is turned away');
  t.is(seen.filter((isFamiliar) => isFamiliar).length, 16);
  await flood({ hotkey: '5' });
  t.is(await proves(), undefined);
  gate.resolve();
  await Promise.all(crowd);
  t.is(await proves(), true);
});

test('a banned key is a stranger that fails, however well it signs', async (t) => {
  const { fails, proves, flood } = turnsAt();
  await proves();
  await t.throwsAsync(fails(honest, 'BANNED'));
  t.is(await proves(), false);
  for (let sent = 0; sent <= failuresMax / 5; sent += 1) {
    await t.throwsAsync(fails(honest, 'BANNED'));
  }
  t.deepEqual(await flood({ ...honest, hotkey: '5' }, 1), ['OVERLOADED']);
});
