import test from 'ava';
import fc from 'fast-check';
import { chosenCoding } from '../../../apps/edge/public-reads/content-coding.ts';

for (const [header, coding] of [
  [undefined, 'identity'],
  ['', 'identity'],
  ['gzip', 'gzip'],
  ['GZIP', 'gzip'],
  ['x-gzip', 'gzip'],
  ['br', 'br'],
  ['gzip, deflate', 'gzip'],
  ['gzip, deflate, br, zstd', 'br'],
  ['deflate', 'identity'],
  ['*', 'br'],
  ['br;q=0, *', 'gzip'],
  ['gzip;q=0', 'identity'],
  ['*;q=0', 'identity'],
  ['gzip;q=0.8, br;q=0.5', 'gzip'],
  ['gzip;q=0.5;q=1, br;q=0.1', 'br'],
  ['identity, gzip;q=0.5', 'identity'],
  ['identity;q=0.5, gzip;q=0.5', 'gzip'],
  ['identity;q=0.5, gzip;q=1.0', 'gzip'],
  ['gzip ; q=0.001', 'gzip'],
  ['gzip;q=2', 'identity'],
  ['gzip;q=x, br', 'br'],
  ['identity;q=0', 'identity'],
  ['identity;q=0, gzip;q=0.1', 'gzip'],
  [', ,gzip,', 'gzip'],
] as const) {
  test(`Accept-Encoding: ${header} is answered with ${coding}`, (t) => {
    t.is(chosenCoding(header, true), coding);
  });
}

test('what is small goes as it is, unless the client excludes that', (t) => {
  t.is(chosenCoding('gzip, br', false), 'identity');
  t.is(chosenCoding('*', false), 'identity');
  t.is(chosenCoding('identity;q=0, gzip', false), 'gzip');
  t.is(chosenCoding('*;q=0, gzip', false), 'gzip');
});

test('no header is answered in a coding that it excludes or does not name', (t) => {
  const weight = fc.constantFrom('', ';q=0', ';q=0.3', ';q=0.7', ';q=1');
  const element = fc.tuple(fc.constantFrom('gzip', 'br', 'identity', 'deflate', '*'), weight);
  const list = fc.uniqueArray(element, { selector: ([coding]) => coding });
  fc.assert(
    fc.property(list, fc.boolean(), (elements, isWorth) => {
      const header = elements.map((parts) => parts.join('')).join(', ');
      const chosen = chosenCoding(header, isWorth);
      const said = new Map(elements);
      const isNamed = (said.get(chosen) ?? said.get('*') ?? ';q=0') !== ';q=0';
      t.true(chosen === 'identity' || isNamed);
    }),
  );
});
