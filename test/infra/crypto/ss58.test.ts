import { encodeAddress } from '@polkadot/util-crypto/address';
import { base58Encode } from '@polkadot/util-crypto/base58';
import { blake2AsU8a } from '@polkadot/util-crypto/blake2';
import test from 'ava';
import fc from 'fast-check';
import { decodeHotkey, encodeHotkey } from '../../../infra/crypto/ss58.ts';

// Substrate's development accounts.
const published = {
  '5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY':
    'd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d',
  '5FHneW46xGXgs5mUiveU4sbTyGBzmstUspZC92UhjJM694ty':
    '8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48',
};
const alice = '5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY';
const key32 = fc.uint8Array({ minLength: 32, maxLength: 32 });

test('published addresses name their published keys', (t) => {
  for (const [address, hex] of Object.entries(published)) {
    t.is(decodeHotkey(address)?.toHex(), hex);
    t.is(encodeHotkey(Uint8Array.fromHex(hex)), address);
  }
});

test('every key comes back from its address', (t) => {
  const property = fc.property(key32, (key) => {
    const address = encodeHotkey(key);
    t.is(address, encodeAddress(key, 42));
    t.deepEqual(decodeHotkey(address), key);
  });
  fc.assert(property);
});

test('addresses of other networks are refused', (t) => {
  const key = decodeHotkey(alice) ?? new Uint8Array();
  for (const prefix of [0, 2, 5, 41, 43, 63, 64, 255, 16_383]) {
    t.is(decodeHotkey(encodeAddress(key, prefix)), undefined);
  }
});

test('keys of other lengths are refused, with the right checksum too', (t) => {
  for (const length of [1, 2, 4, 8, 31, 33]) {
    const body = Buffer.concat([Uint8Array.of(42), new Uint8Array(length).fill(7)]);
    const checksum = blake2AsU8a(Buffer.concat([Buffer.from('SS58PRE'), body]), 512);
    const text = base58Encode(Buffer.concat([body, checksum.subarray(0, 2)]));
    t.is(decodeHotkey(text), undefined);
  }
  t.throws(() => encodeHotkey(new Uint8Array(31)), { instanceOf: RangeError });
});

test('other spellings of an address are refused', (t) => {
  const hex = published[alice];
  const spellings = [
    ` ${alice}`,
    `${alice} `,
    `${alice}\n`,
    `1${alice}`,
    alice.toLowerCase(),
    alice.slice(0, -1),
    `${alice.slice(0, -1)}Z`,
    alice.replace('5', '\uff15'),
    `0x${hex}`,
    hex,
    '',
    '5',
    '0'.repeat(48),
    `5${'z'.repeat(47)}`,
    `5${'O'.repeat(47)}`,
    alice.repeat(10_000),
  ];
  for (const text of spellings) t.is(decodeHotkey(text), undefined, text.slice(0, 60));
});

test('one wrong character spoils an address', (t) => {
  const digits = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
  const property = fc.property(
    fc.nat({ max: alice.length - 1 }),
    fc.constantFrom(...digits),
    (at, digit) => {
      fc.pre(alice[at] !== digit);
      // Two bytes of checksum let one text in 65,536 pass, but never as the same key.
      const key = decodeHotkey(alice.slice(0, at) + digit + alice.slice(at + 1));
      return key?.toHex() !== published[alice];
    },
  );
  t.notThrows(() => fc.assert(property));
});

test('no text makes the decoder throw', (t) => {
  const property = fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
    const key = decodeHotkey(text);
    return key === undefined || encodeHotkey(key) === text;
  });
  t.notThrows(() => fc.assert(property));
});

test('a caller that writes to a decoded key spoils no later one', (t) => {
  decodeHotkey(alice)?.fill(0);
  decodeHotkey(alice)?.fill(0);

  t.is(decodeHotkey(alice)?.toHex(), published[alice]);
});
