import test from 'ava';
import fc from 'fast-check';
import { addressBlock, plainAddress } from '../../../apps/edge/middleware/ip-address.ts';

for (const [text, plain, block] of [
  ['192.0.2.1', '192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1', '192.0.2.1'],
  ['::FFFF:c000:0201', '192.0.2.1', '192.0.2.1'],
  ['0:0:0:0:0:ffff:192.0.2.1', '192.0.2.1', '192.0.2.1'],
  ['::', '0:0:0:0:0:0:0:0', '0:0:0:0::/64'],
  ['::1', '0:0:0:0:0:0:0:1', '0:0:0:0::/64'],
  ['2001:DB8::00ff', '2001:db8:0:0:0:0:0:ff', '2001:db8:0:0::/64'],
  ['2001:db8:0:7:1::', '2001:db8:0:7:1:0:0:0', '2001:db8:0:7::/64'],
  ['2001:db8:7:1::192.0.2.1', '2001:db8:7:1:0:0:c000:201', '2001:db8:7:1::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0:0:0:0:1', 'fe80:0:0:0::/64'],
] as const) {
  test(`${text} is ${plain}, counted as ${block}`, (t) => {
    t.is(plainAddress(text), plain);
    t.is(addressBlock(plainAddress(text) ?? ''), block);
  });
}

test('what is no address has no spelling', (t) => {
  for (const text of ['', 'unknown', '1.2.3', '1.2.3.4:80', '[::1]', '::1::', 'x', '%eth0', '1']) {
    t.is(plainAddress(text), undefined, text);
  }
});

test('all spellings of an address are one', (t) => {
  const groups = fc.array(fc.constantFrom(0, 0, 1, 0xab, 0xffff, 0x2001), {
    minLength: 8,
    maxLength: 8,
  });
  fc.assert(
    fc.property(groups, (numbers) => {
      const long = numbers.map((number) => number.toString(16).padStart(4, '0')).join(':');
      const short = numbers.map((number) => number.toString(16)).join(':');
      const shortest = new URL(`http://[${short}]/`).hostname.slice(1, -1);
      const plain = plainAddress(short);
      t.not(plain, undefined);
      t.is(plainAddress(long), plain);
      t.is(plainAddress(long.toUpperCase()), plain);
      t.is(plainAddress(shortest), plain);
    }),
  );
});
