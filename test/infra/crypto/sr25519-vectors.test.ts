import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodeAddress } from '@polkadot/util-crypto/address';
import { sr25519Verify } from '@polkadot/util-crypto/sr25519';
import test from 'ava';
import fc from 'fast-check';
import { z } from 'zod';
import { keypairFromSeed } from '../../../infra/crypto/sr25519-signer.ts';
import { createVerifierPool } from '../../../infra/crypto/sr25519-verifier.ts';
import { badEncodings, goodVectors, seeds, unmarked, utilCrypto } from './sr25519-vectors.ts';

const pool = createVerifierPool({ workers: 1 });
test.before(async () => {
  await pool.start();
  // Both libraries are to meet the forgeries: the quick one sees only keys that are proved.
  await pool.verify(message, signature, key);
});
test.after.always(() => pool.stop());

const bytes = (hex: string) => Uint8Array.fromHex(hex);

/**
 * Made by hand for one key, message and good signature; each entry says in what it differs. Those
 * over other transcripts and numbers were computed with an implementation of merlin and ristretto255
 * that is not part of the project; the first signature was good to it and to ours.
 */
const forgeries = z
  .object({
    ...{ message: z.string(), key: z.string(), signature: z.string(), second: z.string() },
    list: z.array(
      z.object({
        title: z.string(),
        message: z.string().optional(),
        key: z.string().optional(),
        signature: z.string().optional(),
      }),
    ),
  })
  .parse(JSON.parse(readFileSync(join(import.meta.dirname, 'sr25519-forgeries.json'), 'utf8')));
const message = Buffer.from(forgeries.message);
const key = bytes(forgeries.key);
const signature = bytes(forgeries.signature);

for (const { source, message: signed, ...of } of [...goodVectors]) {
  test(`good elsewhere, good here: ${source}`, async (t) => {
    t.true(await pool.verify(Buffer.from(signed), bytes(of.signature), bytes(of.key)));
    t.false(await pool.verify(Buffer.from(`${signed} `), bytes(of.signature), bytes(of.key)));
    t.true(await pool.verify(Buffer.from(signed), bytes(of.signature), bytes(of.key)));
  });
}

test('published seeds have their published keys', (t) => {
  for (const [seed, known] of seeds) {
    t.is(Buffer.from(keypairFromSeed(bytes(seed)).publicKey).toString('hex'), known);
  }
});

test('what a lenient helper takes for good is good here for the exact message only', async (t) => {
  const { plain, wrapped, ed25519, ecdsa } = utilCrypto;
  const bare = Buffer.from(utilCrypto.message);
  const inBytes = Buffer.from(`<Bytes>${utilCrypto.message}</Bytes>`);
  const judge = (text: Buffer, of: { readonly address: string; readonly signature: string }) =>
    pool.verify(text, bytes(of.signature), decodeAddress(of.address));

  t.true(await judge(bare, plain));
  t.false(await judge(inBytes, plain));
  t.true(await judge(inBytes, wrapped));
  t.false(await judge(bare, wrapped));
  t.false(await judge(bare, ed25519));
  t.false(await judge(bare, ecdsa));
});

test('a published signature from before the mark is refused, with a mark put in too', async (t) => {
  const marked = bytes(unmarked.signature);
  marked[63] = (marked[63] ?? 0) | 0x80;
  const text = Buffer.from(unmarked.message);

  t.deepEqual(keypairFromSeed(new Uint8Array(32)).publicKey, bytes(unmarked.key));
  t.false(await pool.verify(text, bytes(unmarked.signature), bytes(unmarked.key)));
  t.false(await pool.verify(text, marked, bytes(unmarked.key)));
});

test('what RFC 9496 calls no encoding is neither a key nor an R', async (t) => {
  for (const bad of badEncodings) {
    const withR = Uint8Array.from(signature);
    withR.set(bytes(bad));
    t.false(await pool.verify(message, signature, bytes(bad)), `key ${bad}`);
    t.false(await pool.verify(message, withR, key), `R ${bad}`);
  }
});

test('the signature that the forgeries are made of is good', async (t) => {
  t.true(await pool.verify(message, signature, key));
  t.true(await pool.verify(message, bytes(forgeries.second), key));
  t.true(forgeries.list.length >= 100);
});

test('no forgery is taken for a proof', async (t) => {
  for (const forgery of forgeries.list) {
    const verdict = await pool.verify(
      forgery.message === undefined ? message : Buffer.from(forgery.message),
      forgery.signature === undefined ? signature : bytes(forgery.signature),
      forgery.key === undefined ? key : bytes(forgery.key),
    );
    t.false(verdict, forgery.title);
  }
});

test('every single bit of signature and key counts', async (t) => {
  const claim = Buffer.concat([signature, key]);
  const bent = Array.from({ length: claim.length * 8 }, (_, bit) => {
    const copy = Uint8Array.from(claim);
    copy[bit >> 3] = (copy[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    return copy;
  });
  const verdicts = await Promise.all(
    bent.map((copy) => pool.verify(message, copy.subarray(0, 64), copy.subarray(64))),
  );
  t.deepEqual(verdicts, Array(claim.length * 8).fill(false));
});

test('agrees with an implementation that shares no line with it', async (t) => {
  const keys = [1, 2].map((fill) => keypairFromSeed(new Uint8Array(32).fill(fill)));
  const claim = fc.record({
    text: fc.uint8Array({ maxLength: 200 }),
    signer: fc.constantFrom(...keys),
    holder: fc.constantFrom(...keys),
    // Of signature, key and message; beyond them nothing is changed.
    bit: fc.option(fc.nat({ max: 99 * 8 - 1 }), { freq: 2 }),
  });
  let good = 0;
  const property = fc.asyncProperty(claim, async ({ text, signer, holder, bit }) => {
    const bent = Buffer.concat([signer.sign(text), holder.publicKey, text]);
    const at = bit === null ? bent.length : bit >> 3;
    if (at < bent.length) bent[at] = (bent[at] ?? 0) ^ (1 << ((bit ?? 0) & 7));
    const parts = [bent.subarray(96), bent.subarray(0, 64), bent.subarray(64, 96)] as const;
    const ours = await pool.verify(...parts);
    if (ours) good += 1;
    return ours === byOther(...parts);
  });
  await fc.assert(property, { numRuns: 80 });
  t.true(good > 0);
});

/** util-crypto's, in JavaScript. It throws at what it cannot read. */
function byOther(text: Uint8Array, claimed: Uint8Array, holder: Uint8Array): boolean {
  try {
    return sr25519Verify(text, claimed, holder);
  } catch {
    return false;
  }
}
