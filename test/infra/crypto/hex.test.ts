import test from 'ava';
import fc from 'fast-check';
import {
  decodeHex,
  decodeSignature,
  encodeHex,
  encodeSignature,
} from '../../../infra/crypto/hex.ts';

const digits = 'aB'.repeat(64);

test('hex of either case is read and lower case is written', (t) => {
  t.is(encodeHex(decodeHex('00aBfF') ?? new Uint8Array()), '00abff');
  t.deepEqual(decodeHex(''), new Uint8Array());
});

test('half bytes, prefixes, blanks and other digits are no hex', (t) => {
  for (const text of ['0', 'abc', '0xab', ' ab', 'ab ', 'ab\n', 'gg', '\uff10\uff10', 'a-']) {
    t.is(decodeHex(text), undefined, text);
  }
});

test('a signature is 0x and 128 digits of either case', (t) => {
  t.is(decodeSignature(`0x${digits}`)?.toHex(), digits.toLowerCase());
  for (const text of [
    digits,
    `0X${digits}`,
    `0x${digits.slice(1)}`,
    `0x${digits}0`,
    `0x${digits}\n`,
    ` 0x${digits}`,
    `0x${'g'.repeat(128)}`,
    '0x',
    '',
  ]) {
    t.is(decodeSignature(text), undefined, text);
  }
});

test('every signature comes back from its text', (t) => {
  const property = fc.property(fc.uint8Array({ minLength: 64, maxLength: 64 }), (signature) => {
    const text = encodeSignature(signature);
    return text.length === 130 && decodeSignature(text)?.toHex() === signature.toHex();
  });
  t.notThrows(() => fc.assert(property));
});
