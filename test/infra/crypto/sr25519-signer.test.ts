import test from 'ava';
import { keypairFromSeed } from '../../../infra/crypto/sr25519-signer.ts';

test('a seed always makes the same key, and signatures with the mark', (t) => {
  // Alice's seed, as derived from the development phrase by //Alice.
  const seed = 'e5be9a5092b81bca64be81d212e7f2f9eba183bb7a90954f7b76361f6edb5c0a';
  const alice = keypairFromSeed(Uint8Array.fromHex(seed));

  t.is(alice.publicKey.toHex(), 'd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d');
  const signature = alice.sign(Buffer.from('hello'));
  t.is(signature.length, 64);
  t.true((signature[63] ?? 0) >= 0x80);
});

test('a seed of another length is a mistake', (t) => {
  t.throws(() => keypairFromSeed(new Uint8Array(31)), { instanceOf: RangeError });
});
