import test from 'ava';
import fc from 'fast-check';
import { canonicalJson } from '../../machines/canonical-json.ts';
import { cutDeeper, isStorable, storableJson } from '../../machines/storable-json.ts';

const unit = fc.constantFrom('a', '\0', '\ud800', '\udc00', '\u{1f6d2}', '\ufffd', '__proto__');
const texts = fc.string({ unit, maxLength: 4 });
const values = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    ...[texts, fc.integer(), fc.constant(null), fc.boolean()],
    fc.array(tie('value'), { maxLength: 3 }),
    fc
      .array(fc.tuple(texts, tie('value')), { maxLength: 3 })
      .map((entries) => Object.fromEntries(entries)),
  ),
})).value;

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

test('any value becomes one that a database takes, and one that is such stays as it is', (t) => {
  fc.assert(
    fc.property(values, (value) => {
      const stored = storableJson(value);
      t.true(isStorable(stored));
      t.deepEqual(storableJson(stored), stored);
      if (isStorable(value)) t.is(JSON.stringify(stored), JSON.stringify(value));
    }),
  );
});

test('each odd unit has its sign, in names too, and a name of a prototype is a name', (t) => {
  const given = JSON.parse('{"a\\u0000":"\\udc00b\\ud800","__proto__":{"c":["\\u0000"]}}');
  const stored = '{"a\ufffd":"\ufffdb\ufffd","__proto__":{"c":["\ufffd"]}}';
  t.is(JSON.stringify(storableJson(given)), stored);
});

test('names that would become one stay as many, beside those that are so already', (t) => {
  const given = JSON.parse('{"a\\u0000":1,"a\\ud800":2,"b":3,"a\ufffd":4,"a2":5,"a\\udc00":6}');
  t.deepEqual(storableJson(given), { a3: 1, a4: 2, b: 3, 'a\ufffd': 4, a2: 5, a5: 6 });
  fc.assert(
    fc.property(fc.uniqueArray(texts), (names) => {
      const value = Object.fromEntries(names.map((name, place) => [name, place]));
      t.deepEqual(Object.values(storableJson(value)).sort(), Object.values(value).sort());
    }),
  );
});

test('in whichever order the names of a value come, it becomes the same one', (t) => {
  const stored = (entries: readonly (readonly [string, number])[]) =>
    canonicalJson(storableJson(Object.fromEntries(entries)));
  const entries = fc.uniqueArray(fc.tuple(texts, fc.integer()), { selector: ([name]) => name });
  const shuffled = entries.chain((one) => {
    const other = fc.shuffledSubarray(one, { minLength: one.length });
    return fc.tuple(fc.constant(one), other);
  });
  fc.assert(fc.property(shuffled, ([one, other]) => t.is(stored(one), stored(other))));
});

test('a value is cut where it nests too deep, and nowhere else', (t) => {
  fc.assert(
    fc.property(values, fc.nat(6), (value, levels) => {
      const cut = cutDeeper(value, levels);
      t.true(depthOf(cut) <= levels);
      if (depthOf(value) <= levels) t.is(JSON.stringify(cut), JSON.stringify(value));
    }),
  );
  t.deepEqual(cutDeeper([1, { a: [2], b: { c: 3 }, d: 'e' }], 2), [
    1,
    { a: '[deeper]', b: '[deeper]', d: 'e' },
  ]);
});

test('no depth overflows the stack of whoever cuts it', (t) => {
  const levels = 200_000;
  const value: unknown = JSON.parse('['.repeat(levels) + ']'.repeat(levels));
  t.is(depthOf(cutDeeper(value, 64)), 64);
});
