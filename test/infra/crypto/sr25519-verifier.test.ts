import test from 'ava';
import fc from 'fast-check';
import { keypairFromSeed } from '../../../infra/crypto/sr25519-signer.ts';
import { createVerifierPool, VerifierOverloaded } from '../../../infra/crypto/sr25519-verifier.ts';
import { deadlyMessage } from './deadly-message.ts';

const pool = createVerifierPool({ workers: 2 });
const miner = keypairFromSeed(new Uint8Array(32).fill(7));
const stranger = keypairFromSeed(new Uint8Array(32).fill(8));
const message = Buffer.from('5Grw:1767225600:9b2e9c1a-0d7e-4a64-9d53-6c1f0e2a7b11');
const signature = miner.sign(message);

const groupOrder = 2n ** 252n + 27742317777372353535851937790883648493n;

test.before(async () => {
  await pool.start();
  // Proves both keys to both threads, so that what follows meets the quick library.
  const pairs = Array.from({ length: 100 }, (_, index) => (index % 2 === 0 ? miner : stranger));
  await Promise.all(pairs.map((pair) => pool.verify(message, pair.sign(message), pair.publicKey)));
});
test.after.always(() => pool.stop());

test('a signature proves its message and its key', async (t) => {
  t.true(await pool.verify(message, signature, miner.publicKey));
  t.true(await pool.verify(new Uint8Array(), miner.sign(new Uint8Array()), miner.publicKey));
});

test('messages of any size are read to their end', async (t) => {
  const sizes = [100_000, 5, 2_000_000, 0, 17_000, 1];
  const claims = sizes.map((size) => Buffer.alloc(size, 'long'));
  const verify = (text: Buffer, signed: Buffer) =>
    pool.verify(text, miner.sign(signed), miner.publicKey, { isUrgent: true });
  const good = await Promise.all(claims.map((text) => verify(text, text)));
  const cut = await Promise.all(claims.map((text) => verify(text.subarray(0, -1), text)));

  t.deepEqual(good, Array(6).fill(true));
  // Of nothing, nothing was cut.
  t.deepEqual(
    cut,
    sizes.map((size) => size === 0),
  );
});

test('another message or another key proves nothing', async (t) => {
  t.false(await pool.verify(Buffer.from('other'), signature, miner.publicKey));
  t.false(await pool.verify(message, signature, stranger.publicKey));
  t.false(await pool.verify(message, stranger.sign(message), miner.publicKey));
});

test('a message in the wrapping of browser wallets is another message', async (t) => {
  const wrapped = Buffer.from(`<Bytes>${message}</Bytes>`);

  t.false(await pool.verify(message, miner.sign(wrapped), miner.publicKey));
  t.true(await pool.verify(wrapped, miner.sign(wrapped), miner.publicKey));
});

test('one flipped bit anywhere spoils the proof', async (t) => {
  const claim = Buffer.concat([signature, miner.publicKey, message]);
  const property = fc.asyncProperty(fc.nat({ max: claim.length * 8 - 1 }), async (bit) => {
    const bent = Uint8Array.from(claim);
    bent[bit >> 3] = (bent[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    return !(await pool.verify(bent.subarray(96), bent.subarray(0, 64), bent.subarray(64, 96)));
  });
  await t.notThrowsAsync(fc.assert(property, { numRuns: 300 }));
});

test('the all-zero key, under which anybody signs anything, is refused', async (t) => {
  // R = 0, s = 0 and the mark: the library itself says yes to this one.
  const forged = new Uint8Array(64);
  forged[63] = 0x80;

  t.false(await pool.verify(message, forged, new Uint8Array(32)));
});

test('small-order and non-canonical keys are refused', async (t) => {
  const forged = new Uint8Array(64);
  forged[63] = 0x80;
  // Edwards points of order 1, 2, 4 and 8, and p, p + 1, 2^255 - 1, 2^256 - 1 as integers.
  const keys = [
    `01${'00'.repeat(31)}`,
    `ec${'ff'.repeat(30)}7f`,
    `${'00'.repeat(31)}80`,
    '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
    'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
    `ed${'ff'.repeat(30)}7f`,
    `ee${'ff'.repeat(30)}7f`,
    `${'ff'.repeat(31)}7f`,
    'ff'.repeat(32),
  ];
  for (const key of keys) {
    t.false(await pool.verify(message, forged, Uint8Array.fromHex(key)), key);
    t.false(await pool.verify(message, signature, Uint8Array.fromHex(key)), key);
  }
});

test('another encoding of a good key is refused', async (t) => {
  const negated = Uint8Array.from(miner.publicKey);
  negated[31] = (negated[31] ?? 0) | 0x80;

  t.false(await pool.verify(message, signature, negated));
});

test('a signature whose number is not reduced is refused', async (t) => {
  t.false(await pool.verify(message, plusGroupOrder(signature), miner.publicKey));
});

test('a signature without the mark of its scheme is refused', async (t) => {
  const unmarked = Uint8Array.from(signature);
  unmarked[63] = (unmarked[63] ?? 0) & 0x7f;

  t.false(await pool.verify(message, unmarked, miner.publicKey));
});

test('bytes of any lengths are answered with false and never with an error', async (t) => {
  const bytes = fc.uint8Array({ maxLength: 130 });
  const property = fc.asyncProperty(bytes, bytes, bytes, async (text, claimed, key) => {
    return !(await pool.verify(text, claimed, key));
  });
  await t.notThrowsAsync(fc.assert(property));
  for (const length of [0, 1, 31, 33, 63, 65, 128]) {
    t.false(await pool.verify(message, signature, new Uint8Array(length).fill(2)));
    t.false(await pool.verify(message, new Uint8Array(length).fill(0xff), miner.publicKey));
  }
});

test('hundreds at a time each get their own verdict', async (t) => {
  const verdicts = await Promise.all(
    Array.from({ length: 400 }, (_, index) => {
      const key = index % 3 === 0 ? stranger.publicKey : miner.publicKey;
      return pool.verify(message, signature, key);
    }),
  );

  t.deepEqual(
    verdicts,
    Array.from({ length: 400 }, (_, index) => index % 3 !== 0),
  );
});

test('a thread that dies is replaced, and only its killer goes unproved', async (t) => {
  const program = new URL('./mortal-worker.ts', import.meta.url);
  const mortal = createVerifierPool({ workers: 1, program });
  t.teardown(() => mortal.stop());
  await mortal.start();
  const killer = Buffer.from(deadlyMessage);
  const good = () => mortal.verify(message, signature, miner.publicKey);

  const verdicts = await Promise.all([
    good(),
    mortal.verify(killer, miner.sign(killer), miner.publicKey),
    good(),
    good(),
  ]);

  t.deepEqual(verdicts, [true, false, true, true]);
  t.true(await good());
});

test('beyond the bound a signature is not queued', async (t) => {
  const small = createVerifierPool({ workers: 1, waitingMax: 3 });
  t.teardown(() => small.stop());
  await small.start();

  // The first leaves for the thread at once; three wait; the fifth is one too many.
  const verify = () => small.verify(message, signature, miner.publicKey);
  const accepted = Array.from({ length: 4 }, verify);

  await t.throwsAsync(verify(), { instanceOf: VerifierOverloaded });
  t.deepEqual(await Promise.all(accepted), [true, true, true, true]);
  t.true(await verify());
});

test('what is urgent goes before all that waits already', async (t) => {
  const one = createVerifierPool({ workers: 1 });
  t.teardown(() => one.stop());
  await one.start();
  const order: string[] = [];
  const verify = async (name: string, isUrgent: boolean) => {
    await one.verify(message, signature, miner.publicKey, { isUrgent });
    order.push(name);
  };

  const patient = Array.from({ length: 60 }, () => verify('patient', false));
  const urgent = Array.from({ length: 3 }, () => verify('urgent', true));
  await Promise.all([...patient, ...urgent]);

  const before = order.indexOf('urgent');
  // One had left alone, and what waits behind it is handed over two by two.
  t.true(before <= 4, `${before} went first`);
  t.deepEqual(order.slice(before, before + 3), ['urgent', 'urgent', 'urgent']);
  t.is(order.length, 63);
});

test('what is not urgent comes to its turn, however much is', async (t) => {
  const one = createVerifierPool({ workers: 1 });
  t.teardown(() => one.stop());
  await one.start();
  const verify = (isUrgent: boolean) =>
    one.verify(message, signature, miner.publicKey, { isUrgent });
  const newcomer = { isProven: false };
  // As soon as one is answered the next one asks.
  const insist = async () => {
    for (let asked = 0; asked < 6 && !newcomer.isProven; asked += 1) await verify(true);
  };
  const crowd = Array.from({ length: 80 }, insist);
  const patient = verify(false).then((isProven) => {
    newcomer.isProven = isProven;
  });
  await Promise.all(crowd);
  t.true(newcomer.isProven);
  await patient;
});

test('a program that never starts ends the pool with its cause', async (t) => {
  const broken = createVerifierPool({
    workers: 2,
    program: new URL('./absent.ts', import.meta.url),
  });

  await t.throwsAsync(broken.start(), { message: /do not start/ });
  await t.throwsAsync(broken.stopped ?? Promise.resolve());
  await t.throwsAsync(broken.verify(message, signature, miner.publicKey));
  await broken.stop();
});

test('a pool can stop before it starts, twice, and with work under way', async (t) => {
  const unused = createVerifierPool({ workers: 1 });
  await unused.stop();
  await unused.stop();
  await t.throwsAsync(unused.start());

  const busy = createVerifierPool({ workers: 1 });
  await busy.start();
  const pending = busy.verify(message, signature, miner.publicKey);
  await Promise.all([t.throwsAsync(pending, { message: /stopping/ }), busy.stop()]);
  await busy.stop();
});

/** The same signature with s + L instead of s, which verifies where s is not required to be least. */
function plusGroupOrder(original: Uint8Array): Uint8Array {
  const bytes = Uint8Array.from(original);
  bytes[63] = (bytes[63] ?? 0) & 0x7f;
  let rest = BigInt(`0x${bytes.slice(32).reverse().toHex()}`) + groupOrder;
  for (let at = 32; at < 64; at += 1) {
    bytes[at] = Number(rest & 0xffn);
    rest >>= 8n;
  }
  bytes[63] = (bytes[63] ?? 0) | 0x80;
  return bytes;
}
