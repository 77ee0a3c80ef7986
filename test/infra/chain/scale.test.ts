import test from 'ava';
import fc from 'fast-check';
import {
  decodeAccountId,
  decodeAccountIds,
  decodeBools,
  decodeU16,
  decodeU64,
  encodeAccountIds,
  encodeBools,
  encodeU16,
  encodeU64,
  ScaleInvalid,
} from '../../../infra/chain/scale.ts';

const invalid = { instanceOf: ScaleInvalid };

test('numbers are little-endian', (t) => {
  t.is(encodeU16(0x1234).toHex(), '3412');
  t.is(encodeU64(2n ** 64n - 2n).toHex(), 'feffffffffffffff');
});

test('numbers come back from their bytes', (t) => {
  t.notThrows(() =>
    fc.assert(
      fc.property(
        fc.nat({ max: 65_535 }),
        fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
        (small, large) =>
          decodeU16(encodeU16(small)) === small && decodeU64(encodeU64(large)) === large,
      ),
    ),
  );
});

test('a value inside a larger buffer is read at its own place', (t) => {
  const buffer = Uint8Array.fromHex('ffff0100ffff');

  t.is(decodeU16(buffer.subarray(2, 4)), 1);
});

test('lists of bools carry a compact length', (t) => {
  // The modes of SCALE's compact integers: one byte below 2^6, two below 2^14, else four.
  t.is(encodeBools([]).toHex(), '00');
  t.is(encodeBools([true, false]).toHex(), '080100');
  t.is(encodeBools(new Array(63).fill(false)).toHex().slice(0, 2), 'fc');
  t.is(encodeBools(new Array(64).fill(false)).toHex().slice(0, 4), '0101');
  t.is(encodeBools(new Array(16_383).fill(false)).toHex().slice(0, 4), 'fdff');
  t.is(encodeBools(new Array(16_384).fill(false)).toHex().slice(0, 8), '02000100');
});

test('lists of bools of every size come back', (t) => {
  for (const length of [0, 1, 63, 64, 256, 16_383, 16_384, 65_536]) {
    const bools = Array.from({ length }, (_, index) => index % 3 === 0);
    t.deepEqual(decodeBools(encodeBools(bools)), bools);
  }
});

test('lists of account ids of every size come back', (t) => {
  for (const length of [0, 1, 63, 64]) {
    const ids = Array.from({ length }, (_, index) => new Uint8Array(32).fill(index));
    t.deepEqual(decodeAccountIds(encodeAccountIds(ids)).map(Buffer.from), ids.map(Buffer.from));
  }
});

test('bytes of another shape are refused', (t) => {
  t.throws(() => decodeAccountIds(new Uint8Array(0)), invalid);
  t.throws(() => decodeAccountIds(Uint8Array.of(4, 1)), invalid);
  t.throws(() => decodeU16(new Uint8Array(1)), invalid);
  t.throws(() => decodeU16(new Uint8Array(3)), invalid);
  t.throws(() => decodeU64(new Uint8Array(7)), invalid);
  t.throws(() => decodeAccountId(new Uint8Array(31)), invalid);
  for (const hex of ['', '04', '0402', '040101', '05', '02', '0200', '03ffffffff', 'fc01']) {
    t.throws(() => decodeBools(Uint8Array.fromHex(hex)), invalid, hex);
  }
});
